"""How fast kernels of the language run on the CPU, beside plain loops that a C compiler optimised."""
