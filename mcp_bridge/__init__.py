"""The bridge by which agents reach memory over the Model Context Protocol."""
