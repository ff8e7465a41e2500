#include "chunks.h"

#include "hex.h"

enum { DIGITS_MOST = 8 };

static void end_size(struct chunks *chunks) {
    chunks->state = chunks->digits == 0 ? CHUNKS_BROKEN
                    : chunks->size == 0 ? CHUNKS_TRAILER
                                        : CHUNKS_DATA;
    chunks->digits = 0;
}

static void read_size(struct chunks *chunks, unsigned char byte) {
    int value = hex_digit_value(byte);
    if (value >= 0 && chunks->digits < DIGITS_MOST) {
        chunks->size = chunks->size * 16 + (size_t)value;
        chunks->digits++;
    } else if (byte == '\n') {
        end_size(chunks);
    } else if (chunks->digits > 0 && (byte == ';' || byte == ' ' || byte == '\t' || byte == '\r')) {
        chunks->state = CHUNKS_EXTENSION;
    } else {
        chunks->state = CHUNKS_BROKEN;
    }
}

/* A byte of the framing, between the data. */
static void read_framing(struct chunks *chunks, unsigned char byte) {
    switch (chunks->state) {
    case CHUNKS_SIZE:
        read_size(chunks, byte);
        break;
    case CHUNKS_EXTENSION:
        if (byte == '\n')
            end_size(chunks);
        break;
    case CHUNKS_DATA_END:
        if (byte == '\n')
            *chunks = (struct chunks){.state = CHUNKS_SIZE};
        else if (byte != '\r')
            chunks->state = CHUNKS_BROKEN;
        break;
    case CHUNKS_TRAILER:
        if (byte == '\n' && chunks->digits == 0)
            chunks->state = CHUNKS_DONE;
        else if (byte != '\r')
            chunks->digits = byte == '\n' ? 0 : 1;
        break;
    case CHUNKS_DATA:
    case CHUNKS_DONE:
    case CHUNKS_BROKEN:
        break;
    }
}

void chunks_read(struct chunks *chunks, struct bytes piece, struct buffer *out) {
    while (piece.size > 0 && chunks->state != CHUNKS_DONE && chunks->state != CHUNKS_BROKEN) {
        if (chunks->state != CHUNKS_DATA) {
            read_framing(chunks, piece.data[0]);
            piece = bytes_from(piece, 1);
            continue;
        }
        struct bytes data = bytes_up_to(piece, chunks->size);
        buffer_append(out, data);
        chunks->size -= data.size;
        piece = bytes_from(piece, data.size);
        if (chunks->size == 0)
            chunks->state = CHUNKS_DATA_END;
    }
}
