"""HTTP and gRPC: routes and limits. What is to be done is handed in by app."""
