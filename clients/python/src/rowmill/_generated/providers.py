"""Where models are, by their names. Generated from packages/cli/src/map/providers.ts by `npm run generate`; do not edit."""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple


class Provider(NamedTuple):
    name: str
    type: str
    base_url: str
    key_variables: Tuple[str, ...]
    base_url_variables: Tuple[str, ...]
    models: Optional[str]


PROVIDERS: Tuple[Provider, ...] = (
    Provider("openai", "openai_compatible", "https://api.openai.com/v1", ("OPENAI_API_KEY",), ("OPENAI_BASE_URL", "OPENAI_API_BASE",), r"^(gpt-|o\d|chatgpt-|ft:gpt-)"),
    Provider("anthropic", "anthropic", "https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",), ("ANTHROPIC_BASE_URL",), r"^claude-"),
    Provider("gemini", "openai_compatible", "https://generativelanguage.googleapis.com/v1beta/openai", ("GEMINI_API_KEY", "GOOGLE_API_KEY",), (), r"^gemini-"),
    Provider("mistral", "openai_compatible", "https://api.mistral.ai/v1", ("MISTRAL_API_KEY",), (), r"^(mistral|ministral|codestral)-"),
    Provider("deepseek", "openai_compatible", "https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",), (), r"^deepseek-"),
    Provider("xai", "openai_compatible", "https://api.x.ai/v1", ("XAI_API_KEY",), (), r"^grok-"),
    Provider("openrouter", "openai_compatible", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), (), None),
    Provider("groq", "openai_compatible", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",), (), None),
    Provider("together", "openai_compatible", "https://api.together.xyz/v1", ("TOGETHER_API_KEY",), (), None),
    Provider("fireworks", "openai_compatible", "https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",), (), None),
    Provider("ollama", "openai_compatible", "http://127.0.0.1:11434/v1", (), ("OLLAMA_HOST",), None),
    Provider("lmstudio", "openai_compatible", "http://127.0.0.1:1234/v1", (), (), None),
    Provider("vllm", "openai_compatible", "http://127.0.0.1:8000/v1", (), (), None),
    Provider("llamacpp", "openai_compatible", "http://127.0.0.1:8080/v1", (), (), None),
)
