"""Traffic judged by POGEMA, a public benchmark of lifelong many-agent path finding."""
