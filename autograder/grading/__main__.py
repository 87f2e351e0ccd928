"""`python -m autograder.grading`."""

if __name__ == "__main__":  # imported again by each process of the pool, which needs none of it
    import sys

    print("loading the grader, which takes some seconds the first time ...", flush=True)
    try:
        from autograder.grading.run import main

        code = main()
    except KeyboardInterrupt:
        print("\nStopped before anything was graded.", flush=True)
        code = 130
    sys.exit(code)
