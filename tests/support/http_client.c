#include "http_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

const char *client_request_method(const struct client_request *request) {
    return request->method == NULL ? "POST" : request->method;
}

const char *client_request_target(const struct client_request *request) {
    return request->target == NULL ? "/salons/elm-street/book" : request->target;
}

const char client_no_reply[] = "there is no reply";
static const char cut_short[] = "the reply is cut short";

static bool is_post(const struct client_request *request) {
    return strcmp(client_request_method(request), "POST") == 0;
}

static const char *type_line(const struct client_request *request, struct arena *arena) {
    const char *type = request->content_type;
    if (type == NULL)
        type = is_post(request) ? "application/json" : "";
    return type[0] == '\0' ? "" : arena_format(arena, "Content-Type: %s\r\n", type);
}

struct bytes client_request_bytes(const struct client_request *request, struct arena *arena) {
    bool has_length = request->body.size > 0 || is_post(request);
    char *head = arena_format(
        arena, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s%s%s%s\r\n", client_request_method(request),
        client_request_target(request), request->keeps_alive ? "" : "Connection: close\r\n",
        type_line(request, arena),
        has_length ? arena_format(arena, "Content-Length: %zu\r\n", request->body.size) : "",
        request->headers == NULL ? "" : request->headers);
    size_t head_size = strlen(head);
    unsigned char *all = arena_take(arena, head_size + request->body.size + 1);
    memcpy(all, head, head_size);
    if (request->body.size > 0)
        memcpy(all + head_size, request->body.data, request->body.size);
    return (struct bytes){all, head_size + request->body.size};
}

union any_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t make_address(const struct server_address *address, union any_address *made) {
    *made = (union any_address){0};
    in_port_t port = htons((uint16_t)address->port);
    if (inet_pton(AF_INET, address->host, &made->v4.sin_addr) == 1) {
        made->v4.sin_family = AF_INET;
        made->v4.sin_port = port;
        return sizeof made->v4;
    }
    inet_pton(AF_INET6, address->host, &made->v6.sin6_addr);
    made->v6.sin6_family = AF_INET6;
    made->v6.sin6_port = port;
    return sizeof made->v6;
}

bool client_connect(const struct server_address *address, struct client *client) {
    *client = (struct client){.socket = -1, .unread = buffer_new(SIZE_MAX)};
    union any_address to;
    socklen_t size = make_address(address, &to);
    int made = socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0)
        return false;
    int on = 1;
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(made, &to.any, size) != 0) {
        close(made);
        return false;
    }
    client->socket = made;
    return true;
}

void client_close(struct client *client) {
    if (client->socket >= 0)
        close(client->socket);
    client->socket = -1;
    buffer_done(&client->unread);
}

bool client_send(struct client *client, struct bytes bytes) {
    struct deadline deadline = deadline_in(PATIENCE);
    while (bytes.size > 0) {
        if (!deadline_wait_writable(deadline, client->socket))
            return false;
        ssize_t sent = send(client->socket, bytes.data, bytes.size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (sent < 0)
            return false;
        bytes = bytes_from(bytes, (size_t)sent);
    }
    return true;
}

bool client_send_byte_by_byte(struct client *client, struct bytes bytes) {
    for (size_t i = 0; i < bytes.size; i++)
        if (!client_send(client, bytes_up_to(bytes_from(bytes, i), 1)))
            return false;
    return true;
}

enum read_result { READ_SOME, READ_END, READ_LATE };

static enum read_result read_some(struct client *client, struct deadline deadline) {
    unsigned char piece[16384];
    for (;;) {
        if (!deadline_wait_readable(deadline, client->socket))
            return READ_LATE;
        ssize_t got = recv(client->socket, piece, sizeof piece, MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got <= 0)
            return READ_END;
        buffer_append(&client->unread, (struct bytes){piece, (size_t)got});
        return READ_SOME;
    }
}

/* The size of the head with its empty line, or 0 while that isn't there yet. */
static size_t head_size(struct bytes unread) {
    for (size_t i = 0; i + 4 <= unread.size; i++)
        if (memcmp(unread.data + i, "\r\n\r\n", 4) == 0)
            return i + 4;
    return 0;
}

/* NULL once `unread` holds at least `size` bytes. */
static const char *read_until(struct client *client, size_t size, struct deadline deadline) {
    while (client->unread.size < size) {
        enum read_result result = read_some(client, deadline);
        if (result == READ_END)
            return cut_short;
        if (result == READ_LATE)
            return "the reply takes too long";
    }
    return NULL;
}

static const char *read_head(struct client *client, struct deadline deadline, size_t *size) {
    while ((*size = head_size(buffer_bytes(&client->unread))) == 0) {
        const char *problem = read_until(client, client->unread.size + 1, deadline);
        if (problem != NULL)
            return problem == cut_short && client->unread.size == 0 ? client_no_reply : problem;
    }
    return NULL;
}

static const char *parse_status_line(const char *line, struct client_reply *reply) {
    static const char start[] = "HTTP/1.1 ";
    if (strncmp(line, start, strlen(start)) != 0)
        return "the status line is not HTTP/1.1";
    char *end = NULL;
    unsigned long status = strtoul(line + strlen(start), &end, 10);
    if (end != line + strlen(start) + 3 || *end != ' ')
        return "the status is not three digits and a space";
    reply->status = (unsigned)status;
    return NULL;
}

static char *trim(char *text) {
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        text[--size] = '\0';
    return text;
}

static const char *parse_header(char *line, struct client_reply *reply) {
    char *colon = strchr(line, ':');
    if (colon == NULL || colon == line)
        return "a header line has no name";
    if (reply->header_count == CLIENT_HEADERS_MOST)
        return "there are too many headers";
    *colon = '\0';
    reply->headers[reply->header_count++] = (struct client_header){line, trim(colon + 1)};
    return NULL;
}

/* Parses a head, which it cuts up. */
static const char *parse_head(char *head, struct client_reply *reply) {
    const char *problem = NULL;
    bool is_first = true;
    while (problem == NULL) {
        char *end = strstr(head, "\r\n");
        if (end == NULL)
            return "a header line has no end";
        *end = '\0';
        if (end == head)
            return is_first ? "the status line is empty" : NULL;
        problem = is_first ? parse_status_line(head, reply) : parse_header(head, reply);
        is_first = false;
        head = end + 2;
    }
    return problem;
}

const char *client_reply_header(const struct client_reply *reply, const char *name) {
    for (size_t i = 0; i < reply->header_count; i++)
        if (strcasecmp(reply->headers[i].name, name) == 0)
            return reply->headers[i].value;
    return NULL;
}

static const char *parse_length(const struct client_reply *reply, bool to_head, size_t *length) {
    *length = 0;
    bool has_no_body = to_head || reply->status < 200 || reply->status == 204;
    if (client_reply_header(reply, "Transfer-Encoding") != NULL)
        return "the reply has a Transfer-Encoding";
    const char *text = client_reply_header(reply, "Content-Length");
    if (has_no_body)
        return NULL;
    if (text == NULL)
        return "the reply has no Content-Length";
    char *end = NULL;
    *length = strtoull(text, &end, 10);
    return *end == '\0' && end != text ? NULL : "the Content-Length is not a number";
}

static struct bytes consume(struct client *client, size_t size, struct arena *arena) {
    struct buffer *unread = &client->unread;
    struct bytes taken = arena_copy(arena, bytes_up_to(buffer_bytes(unread), size));
    if (size > 0)
        memmove(unread->data, unread->data + size, unread->size - size);
    unread->size -= size;
    return taken;
}

const char *client_receive(struct client *client, bool to_head, struct arena *arena,
                           struct client_reply *reply) {
    struct deadline deadline = deadline_in(PATIENCE);
    *reply = (struct client_reply){.body = BYTES("")};
    size_t size = 0;
    const char *problem = read_head(client, deadline, &size);
    if (problem != NULL)
        return problem;
    char *head = (char *)(uintptr_t)consume(client, size, arena).data;
    problem = parse_head(head, reply);
    if (problem == NULL)
        problem = parse_length(reply, to_head, &size);
    if (problem == NULL)
        problem = read_until(client, size, deadline);
    if (problem == NULL)
        reply->body = consume(client, size, arena);
    return problem;
}

struct bytes client_receive_all(struct client *client, struct arena *arena) {
    struct deadline deadline = deadline_in(PATIENCE);
    while (read_some(client, deadline) == READ_SOME)
        ;
    return consume(client, client->unread.size, arena);
}

bool client_sees_end(struct client *client) {
    return client->unread.size == 0 && read_some(client, deadline_in(PATIENCE)) == READ_END;
}
