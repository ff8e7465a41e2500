#include "transport.h"

#include "chunks.h"
#include "reply_head.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { URL_SIZE_MAX = 262144, HEADER_LINE_SIZE_MAX = 65536, POLL_LONGEST = 1000 };

struct transport {
    CURLM *multi; /* not an easy perform: its wait also watches the interrupt file */
    CURL *easy;
    struct curl_slist *headers; /* of the request under way, or the last one */
    char *origin;               /* the URL without its path; libcurl's memory */
    struct buffer target;       /* the URL's path and query */
    long timeout;               /* of each request */
    long allowed;               /* of the request under way: the same, and what was added */
    int interrupt_file;
    size_t reply_size_max;
    struct buffer url;
    struct transport_sink sink;
    bool reads_refusals;
    struct reply_head head;
    struct chunks chunks;           /* of a chunked body */
    struct buffer body;             /* with a sink: the piece that it is to take */
    size_t received;                /* bytes of the body */
    enum transport_verdict verdict; /* the sink's last one */
    enum status status;             /* STATUS_LIMIT: over the ceiling; STATUS_NO_MEMORY */
    char error[CURL_ERROR_SIZE];
};

enum status transport_library_init(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? STATUS_OK : STATUS_NO_MEMORY;
}

void transport_library_done(void) {
    curl_global_cleanup();
}

static bool is_success(unsigned status) {
    return status >= 200 && status < 300;
}

static bool keep_header(struct transport *transport, struct bytes line) {
    transport->status = reply_head_line(&transport->head, line);
    return transport->status == STATUS_OK;
}

static size_t take_header(char *data, size_t size, size_t count, void *context) {
    return keep_header(context, (struct bytes){(const unsigned char *)data, size * count})
               ? size * count
               : 0;
}

/* The body of a refusal is of no use to most. */
static bool is_wanted(const struct transport *transport) {
    return is_success(transport->head.status) || transport->reads_refusals;
}

/* Puts a piece of the body, without its framing, behind what is there. False when the framing is
 * broken, or not known. */
static bool unwrap(struct transport *transport, struct bytes piece) {
    const struct reply_head *head = &transport->head;
    if (head->codings == 0) {
        buffer_append(&transport->body, piece);
        return true;
    }
    if (head->codings != 1 || !head->is_chunked)
        return false;
    chunks_read(&transport->chunks, piece, &transport->body);
    return transport->chunks.state != CHUNKS_BROKEN;
}

/* False ends the request. */
static bool keep_body(struct transport *transport, struct bytes piece) {
    if (!is_wanted(transport))
        return false;
    size_t before = transport->body.size;
    bool is_framed = unwrap(transport, piece);
    transport->received += transport->body.size - before;
    transport->status = transport->body.status;
    if (transport->status == STATUS_OK && transport->received > transport->reply_size_max)
        transport->status = STATUS_LIMIT;
    if (!is_framed || transport->status != STATUS_OK)
        return false;
    if (transport->sink.take == NULL || transport->body.size == 0)
        return true;
    transport->verdict =
        transport->sink.take(transport->sink.context, buffer_bytes(&transport->body));
    buffer_clear(&transport->body);
    return transport->verdict == TRANSPORT_MORE;
}

static size_t take_body(char *data, size_t size, size_t count, void *context) {
    return keep_body(context, (struct bytes){(const unsigned char *)data, size * count})
               ? size * count
               : 0;
}

/* A host as libcurl gives it: numeric IPv4 addresses in their usual form, IPv6 in brackets. */
static bool is_loopback(struct bytes host) {
    char text[INET6_ADDRSTRLEN] = "";
    struct bytes bare = host.size > 0 && host.data[0] == '['
                            ? bytes_up_to(bytes_from(host, 1), host.size - 2)
                            : host;
    if (bare.size < sizeof text)
        memcpy(text, bare.data, bare.size);
    unsigned char four[4];
    struct in6_addr six;
    if (inet_pton(AF_INET, text, four) == 1)
        return four[0] == 127;
    if (inet_pton(AF_INET6, text, &six) == 1)
        return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
    struct bytes name = bare;
    if (name.size > 0 && name.data[name.size - 1] == '.')
        name.size--;
    static const size_t size = sizeof ".localhost" - 1;
    return bytes_equal_ignoring_case(name, BYTES("localhost")) ||
           (name.size > size &&
            bytes_equal_ignoring_case(bytes_from(name, name.size - size), BYTES(".localhost")));
}

/* The text of a part of a URL, released with curl_free; NULL when there is none, or no memory:
 * then `status` says so. */
static char *url_part(CURLU *url, CURLUPart part, enum status *status) {
    char *text = NULL;
    CURLUcode code = curl_url_get(url, part, &text, 0);
    if (code == CURLUE_OUT_OF_MEMORY)
        *status = STATUS_NO_MEMORY;
    return code == CURLUE_OK ? text : NULL;
}

static bool url_part_is(CURLU *url, CURLUPart part, const char *first, const char *second,
                        enum status *status) {
    char *text = url_part(url, part, status);
    bool is = text == NULL ? first == NULL
                           : (first != NULL && strcmp(text, first) == 0) ||
                                 (second != NULL && strcmp(text, second) == 0);
    curl_free(text);
    return is;
}

/* What is wrong with a URL, or NULL. Without memory it means nothing. */
static const char *check_url(CURLU *url, bool takes_target, enum status *status) {
    if (!url_part_is(url, CURLUPART_SCHEME, "http", "https", status))
        return "it is neither http nor https";
    if (!url_part_is(url, CURLUPART_FRAGMENT, NULL, NULL, status))
        return takes_target ? "it has a fragment" : "it goes on after the server's address";
    bool has_target = !url_part_is(url, CURLUPART_PATH, "/", NULL, status) ||
                      !url_part_is(url, CURLUPART_QUERY, NULL, NULL, status);
    return has_target && !takes_target ? "it goes on after the server's address" : NULL;
}

static enum status parse_url(const struct transport_config *config, CURLU *url,
                             const char **problem) {
    CURLUcode code =
        curl_url_set(url, CURLUPART_URL, config->url, CURLU_DISALLOW_USER | CURLU_PATH_AS_IS);
    enum status status = code == CURLUE_OUT_OF_MEMORY ? STATUS_NO_MEMORY : STATUS_OK;
    const char *wrong = code == CURLUE_USER_NOT_ALLOWED     ? "it names a user"
                        : code == CURLUE_UNSUPPORTED_SCHEME ? "it is neither http nor https"
                        : code != CURLUE_OK                 ? "it is not a URL"
                                            : check_url(url, config->takes_target, &status);
    if (wrong == NULL || status != STATUS_OK)
        return status;
    *problem = wrong;
    return STATUS_INVALID;
}

/* The URL's path, and its query if it has one. */
static struct buffer target_of(CURLU *url) {
    struct buffer target = buffer_new(URL_SIZE_MAX);
    enum status status = STATUS_OK;
    char *path = url_part(url, CURLUPART_PATH, &status);
    char *query = url_part(url, CURLUPART_QUERY, &status);
    buffer_append_text(&target, path == NULL ? "/" : path);
    if (query != NULL) {
        buffer_append_byte(&target, '?');
        buffer_append_text(&target, query);
    }
    if (status != STATUS_OK)
        target.status = status;
    curl_free(path);
    curl_free(query);
    return target;
}

/* The URL's text without all that follows the server; NULL when there is no memory. */
static char *origin_of(CURLU *url) {
    enum status status = STATUS_OK;
    curl_url_set(url, CURLUPART_QUERY, NULL, 0);
    curl_url_set(url, CURLUPART_FRAGMENT, NULL, 0);
    if (curl_url_set(url, CURLUPART_PATH, "/", 0) != CURLUE_OK)
        return NULL;
    char *text = url_part(url, CURLUPART_URL, &status);
    if (text != NULL && text[0] != '\0' && text[strlen(text) - 1] == '/')
        text[strlen(text) - 1] = '\0';
    return text;
}

static enum status find_loopback(CURLU *url, bool *is_loopback_host) {
    enum status status = STATUS_OK;
    char *host = url_part(url, CURLUPART_HOST, &status);
    *is_loopback_host = host != NULL && is_loopback(bytes_of_text(host));
    curl_free(host);
    return status;
}

static bool set_connection_options(CURL *easy, const struct transport_config *config,
                                   bool is_loopback_host) {
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, config->timeout) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           /* A resolver that hangs must not outlast the time-out. */
           curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK &&
           /* On a dead connection from an earlier POST it would send this one twice by itself. */
           curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L) == CURLE_OK &&
           (!is_loopback_host || curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK) &&
           curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK &&
           (config->ca_file == NULL ||
            (curl_easy_setopt(easy, CURLOPT_CAINFO, config->ca_file) == CURLE_OK &&
             curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK));
}

static bool set_exchange_options(struct transport *transport) {
    CURL *easy = transport->easy;
    return curl_easy_setopt(easy, CURLOPT_USERAGENT, "tandem") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP_TRANSFER_DECODING, 0L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transport->error) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERDATA, transport) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, transport) == CURLE_OK;
}

static enum status make(const struct transport_config *config, CURLU *url, struct transport **out) {
    bool is_loopback_host = false;
    enum status status = find_loopback(url, &is_loopback_host);
    struct transport *transport = status == STATUS_OK ? malloc(sizeof *transport) : NULL;
    if (transport == NULL)
        return STATUS_NO_MEMORY;
    *transport = (struct transport){
        .multi = curl_multi_init(),
        .easy = curl_easy_init(),
        .target = target_of(url),
        .timeout = config->timeout,
        .interrupt_file = config->interrupt_file,
        .reply_size_max = config->reply_size_max,
        .url = buffer_new(URL_SIZE_MAX),
        .head = reply_head_new(config->kept),
        .body = buffer_new(config->reply_size_max),
    };
    transport->origin = origin_of(url);
    if (transport->multi != NULL && transport->easy != NULL && transport->origin != NULL &&
        transport->target.status == STATUS_OK &&
        set_connection_options(transport->easy, config, is_loopback_host) &&
        set_exchange_options(transport)) {
        *out = transport;
        return STATUS_OK;
    }
    transport_free(transport);
    return STATUS_NO_MEMORY;
}

static bool are_too_many(const char *const *names) {
    size_t count = 0;
    while (names != NULL && names[count] != NULL)
        count++;
    return count > TRANSPORT_KEPT_MOST;
}

enum status transport_new(const struct transport_config *config, struct transport **out,
                          const char **problem) {
    if (are_too_many(config->kept))
        return STATUS_LIMIT;
    CURLU *url = curl_url();
    if (url == NULL)
        return STATUS_NO_MEMORY;
    enum status status = parse_url(config, url, problem);
    if (status == STATUS_OK)
        status = make(config, url, out);
    curl_url_cleanup(url);
    return status;
}

void transport_free(struct transport *transport) {
    if (transport == NULL)
        return;
    curl_easy_cleanup(transport->easy);
    curl_multi_cleanup(transport->multi);
    curl_slist_free_all(transport->headers);
    curl_free(transport->origin);
    buffer_done(&transport->target);
    buffer_done(&transport->url);
    reply_head_done(&transport->head);
    buffer_done(&transport->body);
    free(transport);
}

static bool is_interrupted(const struct transport *transport) {
    struct pollfd interrupt = {.fd = transport->interrupt_file, .events = POLLIN};
    return transport->interrupt_file >= 0 && poll(&interrupt, 1, 0) > 0;
}

/* RFC 9110's token. */
static bool is_token(struct bytes name) {
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < name.size; i++) {
        unsigned char byte = name.data[i];
        bool is_alphanumeric = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                               (byte >= '0' && byte <= '9');
        if (!is_alphanumeric && memchr(others, byte, sizeof others - 1) == NULL)
            return false;
    }
    return name.size > 0;
}

static bool is_field_value(struct bytes value) {
    for (size_t i = 0; i < value.size; i++)
        if ((value.data[i] < 0x20 && value.data[i] != '\t') || value.data[i] == 0x7F)
            return false;
    return true;
}

static enum status add_line(struct transport *transport, const char *line) {
    struct curl_slist *longer = curl_slist_append(transport->headers, line);
    if (longer == NULL)
        return STATUS_NO_MEMORY;
    transport->headers = longer;
    return STATUS_OK;
}

static enum status add_header(struct transport *transport, const struct transport_header *header) {
    if (!is_token(header->name) || !is_field_value(header->value))
        return STATUS_INVALID;
    struct buffer line = buffer_new(HEADER_LINE_SIZE_MAX);
    buffer_append(&line, header->name);
    /* libcurl's way to say that the value is empty. */
    buffer_append_text(&line, header->value.size == 0 ? ";" : ": ");
    buffer_append(&line, header->value);
    buffer_append_byte(&line, '\0');
    enum status status =
        line.status == STATUS_OK ? add_line(transport, (const char *)line.data) : line.status;
    buffer_done(&line);
    return status;
}

static enum status set_headers(struct transport *transport,
                               const struct transport_request *request) {
    curl_slist_free_all(transport->headers);
    transport->headers = NULL;
    /* Without a value libcurl leaves it out, and doesn't wait for a 100. */
    enum status status = add_line(transport, "Expect:");
    for (size_t i = 0; i < request->header_count && status == STATUS_OK; i++)
        status = add_header(transport, &request->headers[i]);
    bool is_set =
        curl_easy_setopt(transport->easy, CURLOPT_HTTPHEADER, transport->headers) == CURLE_OK;
    return status != STATUS_OK || is_set ? status : STATUS_NO_MEMORY;
}

static bool set_method(CURL *easy, const struct transport_request *request) {
    switch (request->method) {
    case TRANSPORT_GET:
        return curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L) == CURLE_OK;
    case TRANSPORT_POST:
        break;
    }
    /* Of no body libcurl would ask standard input. */
    const void *body = request->body.size == 0 ? (const void *)"" : request->body.data;
    return curl_easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.size) ==
               CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body) == CURLE_OK;
}

/* Forgets the last exchange. */
static void reset(struct transport *transport, const struct transport_request *request) {
    transport->sink = request->sink;
    transport->reads_refusals = request->reads_refusals;
    transport->chunks = (struct chunks){.state = CHUNKS_SIZE};
    transport->received = 0;
    transport->verdict = TRANSPORT_MORE;
    transport->status = STATUS_OK;
    transport->allowed = transport->timeout;
    transport->error[0] = '\0';
    buffer_clear(&transport->url);
    buffer_clear(&transport->body);
    reply_head_clear(&transport->head);
}

static enum status prepare(struct transport *transport, const struct transport_request *request) {
    reset(transport, request);
    buffer_append_text(&transport->url, transport->origin);
    buffer_append(&transport->url,
                  request->target.size > 0 ? request->target : buffer_bytes(&transport->target));
    buffer_append_byte(&transport->url, '\0');
    if (transport->url.status != STATUS_OK)
        return transport->url.status;
    enum status status = set_headers(transport, request);
    if (status != STATUS_OK)
        return status;
    bool is_set =
        curl_easy_setopt(transport->easy, CURLOPT_URL, transport->url.data) == CURLE_OK &&
        curl_easy_setopt(transport->easy, CURLOPT_TIMEOUT_MS, transport->allowed) == CURLE_OK &&
        set_method(transport->easy, request);
    return is_set ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Waits for the network or an interruption; false at an interruption, or when it can't wait. */
static bool wait_for_more(const struct transport *transport) {
    struct curl_waitfd interrupt = {.fd = transport->interrupt_file, .events = CURL_WAIT_POLLIN};
    unsigned count = transport->interrupt_file >= 0 ? 1 : 0;
    return curl_multi_poll(transport->multi, count == 0 ? NULL : &interrupt, count, POLL_LONGEST,
                           NULL) == CURLM_OK &&
           !is_interrupted(transport);
}

/* Drives the one transfer to its end. How it ended, or CURLE_ABORTED_BY_CALLBACK when it was
 * interrupted. */
static CURLcode drive(struct transport *transport) {
    int running = 1;
    while (curl_multi_perform(transport->multi, &running) == CURLM_OK && running > 0)
        if (!wait_for_more(transport))
            return CURLE_ABORTED_BY_CALLBACK;
    int left = 0;
    const CURLMsg *message = curl_multi_info_read(transport->multi, &left);
    return message != NULL && message->msg == CURLMSG_DONE ? message->data.result
                                                           : CURLE_ABORTED_BY_CALLBACK;
}

static bool is_framed_well(const struct transport *transport) {
    const struct reply_head *head = &transport->head;
    return head->codings == 0 ||
           (head->codings == 1 && head->is_chunked && transport->chunks.state == CHUNKS_DONE);
}

static enum transport_kind kind_of(const struct transport *transport, CURLcode code) {
    if (!transport->head.is_complete)
        return TRANSPORT_NONE;
    if (!is_wanted(transport))
        return TRANSPORT_WHOLE;
    switch (transport->verdict) {
    case TRANSPORT_STOP:
        return TRANSPORT_STOPPED;
    case TRANSPORT_REFUSE:
        return TRANSPORT_REFUSED;
    case TRANSPORT_MORE:
        break;
    }
    if (transport->status == STATUS_LIMIT)
        return TRANSPORT_TOO_LONG;
    return code == CURLE_OK && is_framed_well(transport) ? TRANSPORT_WHOLE : TRANSPORT_CUT;
}

/* Why the reply is not whole, or NULL. */
static const char *detail_of(const struct transport *transport, enum transport_kind kind,
                             CURLcode code) {
    if ((kind != TRANSPORT_NONE && kind != TRANSPORT_CUT) || code == CURLE_OK)
        return NULL;
    if (transport->status == STATUS_NO_MEMORY)
        return status_text(STATUS_NO_MEMORY);
    return transport->error[0] != '\0' ? transport->error : curl_easy_strerror(code);
}

static struct transport_result conclude(struct transport *transport, CURLcode code) {
    enum transport_kind kind = kind_of(transport, code);
    bool has_body = kind != TRANSPORT_NONE && transport->sink.take == NULL;
    long sent = 0; /* bytes handed to the system, so 0 only when the server saw none */
    curl_easy_getinfo(transport->easy, CURLINFO_REQUEST_SIZE, &sent);
    return (struct transport_result){
        .kind = kind,
        .request_sent = sent != 0,
        .status = kind == TRANSPORT_NONE ? 0 : transport->head.status,
        .body = has_body ? buffer_bytes(&transport->body) : BYTES(""),
        .detail = detail_of(transport, kind, code),
    };
}

enum status transport_send(struct transport *transport, const struct transport_request *request,
                           struct transport_result *result) {
    enum status status = prepare(transport, request);
    if (status != STATUS_OK)
        return status;
    if (is_interrupted(transport)) {
        *result = (struct transport_result){.is_interrupted = true};
        return STATUS_OK;
    }
    if (curl_multi_add_handle(transport->multi, transport->easy) != CURLM_OK)
        return STATUS_NO_MEMORY;
    CURLcode code = drive(transport);
    struct transport_result ended = conclude(transport, code);
    curl_multi_remove_handle(transport->multi, transport->easy);
    if (code == CURLE_ABORTED_BY_CALLBACK && is_interrupted(transport))
        ended =
            (struct transport_result){.is_interrupted = true, .request_sent = ended.request_sent};
    *result = ended;
    return STATUS_OK;
}

/* libcurl looks at the limit each time that it moves on, which wait_for_more sees to. */
void transport_allow(struct transport *transport, long milliseconds) {
    if (milliseconds <= 0 || milliseconds > LONG_MAX - transport->allowed)
        return;
    transport->allowed += milliseconds;
    curl_easy_setopt(transport->easy, CURLOPT_TIMEOUT_MS, transport->allowed);
}

unsigned transport_status(const struct transport *transport) {
    return transport->head.is_complete ? transport->head.status : 0;
}

struct transport_field transport_reply_header(const struct transport *transport, const char *name) {
    const struct reply_field *field = reply_head_field(&transport->head, bytes_of_text(name));
    if (field == NULL || !transport->head.is_complete)
        return (struct transport_field){.count = 0};
    return (struct transport_field){field->count, buffer_bytes(&field->value), field->is_cut};
}

bool transport_reply_is(const struct transport *transport, struct bytes media_type) {
    return transport->head.is_complete && reply_head_is_type(&transport->head, media_type);
}
