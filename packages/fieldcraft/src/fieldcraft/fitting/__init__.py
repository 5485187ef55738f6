"""Fits of parameters of layers and formulas to recordings."""

from fieldcraft.fitting.fitted import Fitted, fit
from fieldcraft.fitting.models import LayerModel
from fieldcraft.fitting.recorded import Recorded

__all__ = ["Fitted", "LayerModel", "Recorded", "fit"]
