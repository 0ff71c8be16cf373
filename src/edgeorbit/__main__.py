"""`python -m edgeorbit`: the command line."""

from edgeorbit.cli.main import main

if __name__ == "__main__":
    main()
