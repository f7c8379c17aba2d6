/* labels - string ids: every label once, numbered as they are added.
 *
 * Texts stand one behind the other; a table of twice as many slots finds them by FNV-1a and linear probing. Source:
 * http://www.isthe.com/chongo/tech/comp/fnv. Cost: one probe a token on the average, 40 bytes and its text a label.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <stdlib.h>
#include <string.h>

struct labels {
    char *text;
    uint64_t n_bytes, text_capacity;
    uint64_t *ends; /* label i is text[ends[i], ends[i + 1]) */
    uint64_t n, capacity;
    uint64_t *slots; /* number + 1; 0: free */
    uint64_t n_slots;
};

struct labels *labels_create(void)
{
    struct labels *labels = allocate(1, sizeof *labels);
    labels->n_slots = 64;
    labels->slots = allocate(labels->n_slots, sizeof *labels->slots);
    labels->capacity = 32;
    labels->ends = allocate(labels->capacity + 1, sizeof *labels->ends);
    return labels;
}

void labels_free(struct labels *labels)
{
    if (!labels)
        return;
    free(labels->text);
    free(labels->ends);
    free(labels->slots);
    free(labels);
}

uint64_t labels_count(const struct labels *labels)
{
    return labels->n;
}

const char *labels_text(const struct labels *labels, uint64_t number, size_t *n)
{
    *n = labels->ends[number + 1] - labels->ends[number];
    return labels->text ? labels->text + labels->ends[number] : "";
}

/* The slot that holds the text, or the free one where it would be. */
static uint64_t slot_of(const struct labels *labels, const char *text, size_t n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    uint64_t slot = hash & (labels->n_slots - 1);
    for (; labels->slots[slot]; slot = (slot + 1) & (labels->n_slots - 1)) {
        size_t length;
        const char *held = labels_text(labels, labels->slots[slot] - 1, &length);
        if (length == n && memcmp(held, text, n) == 0)
            break;
    }
    return slot;
}

uint64_t labels_find(const struct labels *labels, const char *text, size_t n)
{
    uint64_t held = labels->slots[slot_of(labels, text, n)];
    return held ? held - 1 : UINT64_MAX;
}

static void widen(struct labels *labels)
{
    labels->capacity *= 2;
    labels->ends = grow(labels->ends, labels->capacity + 1, sizeof *labels->ends);
    free(labels->slots);
    labels->n_slots *= 2;
    labels->slots = allocate(labels->n_slots, sizeof *labels->slots);
    for (uint64_t i = 0; i < labels->n; i++) {
        size_t n;
        const char *text = labels_text(labels, i, &n);
        labels->slots[slot_of(labels, text, n)] = i + 1;
    }
}

uint64_t labels_add(struct labels *labels, const char *text, size_t n)
{
    uint64_t slot = slot_of(labels, text, n);
    if (labels->slots[slot])
        return labels->slots[slot] - 1;
    if (labels->n == labels->capacity) {
        widen(labels);
        slot = slot_of(labels, text, n);
    }
    if (labels->n_bytes + n > labels->text_capacity) {
        labels->text_capacity = 2 * (labels->n_bytes + n);
        labels->text = grow(labels->text, labels->text_capacity, 1);
    }
    if (n)
        memcpy(labels->text + labels->n_bytes, text, n);
    labels->n_bytes += n;
    labels->slots[slot] = ++labels->n;
    labels->ends[labels->n] = labels->n_bytes;
    return labels->n - 1;
}
