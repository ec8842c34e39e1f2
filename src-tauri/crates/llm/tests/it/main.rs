//! The providers of this crate through their public interface.

#![allow(clippy::unwrap_used)]

mod anthropic;
mod anthropic_errors;
mod anthropic_requests;
mod embedders;
mod extraction;
mod gemini;
mod hosts;
mod http_faults;
mod http_frames;
mod http_network;
mod http_rig;
mod mock;
mod ollama;
mod openai;
mod openai_chat;
mod openai_responses;
mod openai_schema;
mod scripted;
mod shapes;
mod wire_support;
