"""OpenAI's own Python client, unmodified: files and vector stores, as a caller uses them."""

import sys

import openai

base_url, own_key, other_key, path = sys.argv[1:]
client = openai.OpenAI(base_url=base_url, api_key=own_key)
other = openai.OpenAI(base_url=base_url, api_key=other_key)


def missing(call):
    try:
        call()
    except openai.NotFoundError as error:
        assert error.code == "not_found", error.code
    else:
        raise AssertionError("It was found")


store = client.vector_stores.create(
    name="Tower", expires_after={"anchor": "last_active_at", "days": 7}
)
with open(path, "rb") as file:
    added = client.vector_stores.files.upload_and_poll(vector_store_id=store.id, file=file)
assert added.status == "completed", added
with open(path, "rb") as file:
    batch = client.vector_stores.file_batches.upload_and_poll(
        vector_store_id=store.id, files=[file, ("lamp.txt", b"The lamp is green")]
    )
assert (batch.status, batch.file_counts.completed) == ("completed", 2), batch
assert client.vector_stores.retrieve(store.id).file_counts.total == 3
found = client.vector_stores.search(vector_store_id=store.id, query="colour of the lamp")
assert found.data[0].content[0].text == "The lamp is green", found
tower = {"type": "eq", "key": "room", "value": "tower"}
changed = client.vector_stores.files.update(
    added.id, vector_store_id=store.id, attributes={"room": "tower"}
)
assert changed.attributes == {"room": "tower"}, changed
hits = client.vector_stores.search(vector_store_id=store.id, query="gallery", filters=tower)
assert hits.data and {hit.file_id for hit in hits.data} == {added.id}, hits
pages = client.vector_stores.files.content(added.id, vector_store_id=store.id)
assert [part.type for part in pages] == ["text"], pages
with open(path, encoding="utf-8") as file:
    assert pages.data[0].text == file.read().strip(), pages
missing(lambda: other.vector_stores.files.content(added.id, vector_store_id=store.id))
answer = client.responses.create(
    model="auto",
    input="What do the files say about the gallery?",
    tools=[{"type": "file_search", "vector_store_ids": [store.id]}],
)
assert answer.output[0].type == "file_search_call", answer.output
assert "Handbook of the lighthouse" in answer.output_text, answer.output_text
file = client.files.create(
    file=("a.txt", b"abc"),
    purpose="user_data",
    expires_after={"anchor": "created_at", "seconds": 3600},
)
assert (file.expires_at or 0) - file.created_at == 3600, file
assert client.files.content(file.id).read() == b"abc"
missing(lambda: other.files.retrieve(file.id))
missing(lambda: other.vector_stores.retrieve(store.id))
assert other.files.list().data == [] and other.vector_stores.list().data == []
names = [each.filename for each in client.files.list(limit=1, order="asc")]
assert names == [each.filename for each in client.files.list()][::-1], names
assert len(names) == 4, names
own = client.files.list(limit=1, purpose="user_data")
assert ([each.id for each in own], own.has_more) == ([file.id], False), own
for each in client.files.list(limit=2):
    assert client.files.delete(each.id).deleted
assert client.vector_stores.delete(store.id).deleted
missing(lambda: client.vector_stores.retrieve(store.id))
missing(lambda: client.files.retrieve(file.id))
print("done")
