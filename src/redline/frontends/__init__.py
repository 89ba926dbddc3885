"""What a person or a model talks to. Front-ends ask `app` and show; they decide nothing."""
