//! Requests and responses through the interceptor, over real connections.

mod raw;
mod requests;
mod responses;
mod scene;
mod sides;
