"""Scripted models of other frameworks, which know only what is in their prompt."""

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from neo4j_graphrag.llm import LLMInterfaceV2
from neo4j_graphrag.llm.types import LLMResponse, ToolCall, ToolCallResponse

from tests.toy_model import PASSAGES

NEEDED = [PASSAGES[id] for id in ("study", "town")]


def read(prompt):
    """The answer to the toy model's question, if the prompt contains the needed facts."""
    return "Scotland" if all(text in prompt for text in NEEDED) else "unknown"


class Reader(BaseChatModel):
    """A LangChain chat model: it calls the first tool that it gets, then answers from the result."""

    tools: tuple = ()

    @property
    def _llm_type(self):
        return "reader"

    def bind_tools(self, tools, **_):
        return Reader(tools=tuple(tools))

    def _generate(self, messages, **_):
        text = "\n".join(message.text for message in messages)
        if self.tools and messages[-1].type == "human":
            call = {"name": self.tools[0].name, "args": {"query": messages[-1].text}, "id": "call-1"}
            return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=[call]))])
        return ChatResult(generations=[ChatGeneration(message=AIMessage(read(text)))])


class Model(LLMInterfaceV2):
    """A model of neo4j-graphrag; with tools, it calls all of them."""

    def __init__(self):
        super().__init__(model_name="scripted")

    def invoke(self, input, **_):
        return LLMResponse(content=read(str(input)))

    async def ainvoke(self, input, **_):
        return self.invoke(input)

    def invoke_with_tools(self, input, tools, **_):
        calls = [ToolCall(name=tool.get_name(), arguments={"query_text": input, "top_k": 3}) for tool in tools]
        return ToolCallResponse(tool_calls=calls)


class Llm(CustomLLM):
    """A model of LlamaIndex."""

    @property
    def metadata(self):
        return LLMMetadata(context_window=8_000)

    def complete(self, prompt, **_):
        return CompletionResponse(text=read(prompt))

    def stream_complete(self, prompt, **_):
        yield self.complete(prompt)
