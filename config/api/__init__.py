"""What all REST routes share: authentication, parsing, errors, pages. Set in REST_FRAMEWORK."""
