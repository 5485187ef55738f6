"""Trail: stamps that blur and evaporate."""
