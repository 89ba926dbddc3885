"""`python -m redline`."""

from redline.frontends.cli.main import main

if __name__ == "__main__":
    main()
