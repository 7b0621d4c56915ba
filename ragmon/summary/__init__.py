"""From results to means, coverage and quantiles: pure, live and offline alike."""
