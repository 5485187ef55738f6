"""Fields on grids, whose steps are constant offsets and whose open ground has one footprint for all
cells.
"""
