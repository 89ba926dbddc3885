"""redline: approve exactly the change an AI proposed, and nothing else."""

__version__ = "0.1.0.dev0"
