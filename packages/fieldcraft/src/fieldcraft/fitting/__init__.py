"""Numbers of layers and formulas, fitted to recordings."""

from fieldcraft.fitting.fitted import Fitted, fit
from fieldcraft.fitting.models import LayerModel
from fieldcraft.fitting.recorded import Recorded

__all__ = ["Fitted", "LayerModel", "Recorded", "fit"]
