"""What came of it: settlement, learnings and calibration."""
