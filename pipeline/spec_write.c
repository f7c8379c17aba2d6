/* spec_write - a chain as the text that gives it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"

#include <string.h>

/* As snprintf does: what has no room is counted. */
typedef struct spec_writer {
    char *text;
    uint64_t room, length;
} spec_writer;

static void put(spec_writer *writer, char c)
{
    if (writer->length + 1 < writer->room)
        writer->text[writer->length] = c;
    writer->length++;
}

static void put_text(spec_writer *writer, const char *text)
{
    while (*text)
        put(writer, *text++);
}

/* Letters, digits and what no reader of a spec takes for anything else; also bytes of UTF-8. */
static bool is_plain(const char *word)
{
    if (!*word || *word == '#')
        return false;
    for (const char *at = word; *at; at++)
        if (!((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at & 0x80 ||
              strchr("-_=./:,+@%^~#", *at)))
            return false;
    return true;
}

/* In double quotes, so that the line as a whole can stand in a shell's single ones. */
static void put_word(spec_writer *writer, const char *word)
{
    if (is_plain(word)) {
        put_text(writer, word);
        return;
    }
    put(writer, '"');
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            put(writer, '\\');
        put(writer, *word);
    }
    put(writer, '"');
}

uint64_t em_pipeline_spec(const em_pipeline *pipeline, char *text, uint64_t n_bytes)
{
    spec_writer writer = {text, n_bytes, 0};
    for (uint32_t i = 0; i < pipeline->n_links; i++) {
        put_text(&writer, i ? " | " : "");
        for (char **word = pipeline->links[i].words; *word; word++) {
            put_text(&writer, word > pipeline->links[i].words ? " " : "");
            put_word(&writer, *word);
        }
    }
    if (n_bytes)
        text[writer.length < n_bytes ? writer.length : n_bytes - 1] = 0;
    return writer.length;
}
