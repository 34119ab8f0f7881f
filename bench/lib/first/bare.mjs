// A process that does nothing: the cost of Node itself.
