"""The story that `redline demo` tells, with real processes in a throw-away repository."""
