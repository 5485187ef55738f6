"""Methods of searching that serve as yardsticks, and learning motions from recorded tracks."""
