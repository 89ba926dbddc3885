"""The configurations of agents in a repository: what redline puts into them, takes out, and tries."""
