//! Requests and responses through the interceptor, over real connections.

mod requests;
mod responses;
mod scene;
mod sides;
