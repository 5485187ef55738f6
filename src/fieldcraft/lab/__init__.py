"""The lab: a live map that can be seen, touched, gone back in, forked and kept, in a browser and in a notebook."""

from fieldcraft.lab.session import Session

__all__ = ["Session"]
