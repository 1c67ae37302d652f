"""What the suites share: a server to test, people who visit it, and apps that rely on it."""
