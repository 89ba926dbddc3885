"""`python -m redline.frontends.agent`."""

from redline.frontends.agent.main import main

if __name__ == "__main__":
    main()
