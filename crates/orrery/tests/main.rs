//! The program as its users meet it: started, told, and read from.

mod transfer;
