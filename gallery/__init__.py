"""The gallery: a short film of every world, and the page that shows them; `python -m gallery` makes both."""
