"""The language server: snapshots and editor features."""
