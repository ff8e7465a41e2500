#include "transport.h"

#include "chunks.h"
#include "reply_head.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { URL_SIZE_MAX = 262144, POLL_LONGEST = 1000, REDIRECT_FIRST = 300, REDIRECT_LAST = 399 };

struct transport {
    CURLM *multi; /* not an easy perform: its wait also watches the interrupt file */
    CURL *easy;
    struct curl_slist *headers;
    char *origin; /* the URL without its path; libcurl's memory */
    int interrupt_file;
    struct buffer url;
    struct reply_head head;
    struct chunks chunks; /* of a chunked body */
    struct buffer body;
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

static size_t take_header(char *data, size_t size, size_t count, void *context) {
    struct transport *transport = context;
    reply_head_line(&transport->head, (struct bytes){(const unsigned char *)data, size * count});
    return size * count;
}

/* False ends the POST: the body of a refusal is of no use, and one over the ceiling can't be read.
 */
static bool keep_body(struct transport *transport, struct bytes piece) {
    if (!is_success(transport->head.status))
        return false;
    if (transport->head.codings > 0)
        chunks_read(&transport->chunks, piece, &transport->body);
    else
        buffer_append(&transport->body, piece);
    return transport->body.status == STATUS_OK;
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

/* The text of a part of a URL, released with curl_free; NULL when there is none. */
static char *url_part(CURLU *url, CURLUPart part) {
    char *text = NULL;
    return curl_url_get(url, part, &text, 0) == CURLUE_OK ? text : NULL;
}

static bool url_part_is(CURLU *url, CURLUPart part, const char *first, const char *second) {
    char *text = url_part(url, part);
    bool is = text == NULL ? first == NULL
                           : (first != NULL && strcmp(text, first) == 0) ||
                                 (second != NULL && strcmp(text, second) == 0);
    curl_free(text);
    return is;
}

static const char *check_url(CURLU *url) {
    if (!url_part_is(url, CURLUPART_SCHEME, "http", "https"))
        return "it is neither http nor https";
    if (!url_part_is(url, CURLUPART_PATH, "/", NULL) ||
        !url_part_is(url, CURLUPART_QUERY, NULL, NULL) ||
        !url_part_is(url, CURLUPART_FRAGMENT, NULL, NULL))
        return "it goes on after the server's address";
    return NULL;
}

static enum status parse_url(const char *text, CURLU *url, const char **problem) {
    CURLUcode code = curl_url_set(url, CURLUPART_URL, text, CURLU_DISALLOW_USER | CURLU_PATH_AS_IS);
    if (code == CURLUE_OUT_OF_MEMORY)
        return STATUS_NO_MEMORY;
    const char *wrong = code == CURLUE_USER_NOT_ALLOWED     ? "it names a user"
                        : code == CURLUE_UNSUPPORTED_SCHEME ? "it is neither http nor https"
                        : code != CURLUE_OK                 ? "it is not a URL"
                                                            : check_url(url);
    if (wrong == NULL)
        return STATUS_OK;
    *problem = wrong;
    return STATUS_INVALID;
}

/* The URL's text without the slash at its end, and without an empty query or fragment. */
static char *origin_of(CURLU *url) {
    curl_url_set(url, CURLUPART_QUERY, NULL, 0);
    curl_url_set(url, CURLUPART_FRAGMENT, NULL, 0);
    char *text = url_part(url, CURLUPART_URL);
    if (text != NULL && text[0] != '\0' && text[strlen(text) - 1] == '/')
        text[strlen(text) - 1] = '\0';
    return text;
}

static bool url_is_loopback(CURLU *url) {
    char *host = url_part(url, CURLUPART_HOST);
    bool is = host != NULL && is_loopback(bytes_of_text(host));
    curl_free(host);
    return is;
}

static bool add_header(struct transport *transport, const char *line) {
    struct curl_slist *longer = curl_slist_append(transport->headers, line);
    if (longer != NULL)
        transport->headers = longer;
    return longer != NULL;
}

static bool set_connection_options(CURL *easy, const struct transport_config *config,
                                   bool is_loopback_host) {
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, config->timeout) == CURLE_OK &&
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
    return add_header(transport, "Content-Type: application/json") &&
           add_header(transport, "Accept: application/json") &&
           /* Without a value libcurl leaves it out, and doesn't wait for a 100. */
           add_header(transport, "Expect:") &&
           curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transport->headers) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_USERAGENT, "tandem") == CURLE_OK &&
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
    struct transport *transport = malloc(sizeof *transport);
    if (transport == NULL)
        return STATUS_NO_MEMORY;
    *transport = (struct transport){
        .multi = curl_multi_init(),
        .easy = curl_easy_init(),
        .origin = origin_of(url),
        .interrupt_file = config->interrupt_file,
        .url = buffer_new(URL_SIZE_MAX),
        .head = reply_head_new(TRANSPORT_LOCATION_SIZE_MAX),
        .body = buffer_new(TRANSPORT_REPLY_SIZE_MAX),
    };
    if (transport->multi != NULL && transport->easy != NULL && transport->origin != NULL &&
        set_connection_options(transport->easy, config, url_is_loopback(url)) &&
        set_exchange_options(transport)) {
        *out = transport;
        return STATUS_OK;
    }
    transport_free(transport);
    return STATUS_NO_MEMORY;
}

enum status transport_new(const struct transport_config *config, struct transport **out,
                          const char **problem) {
    CURLU *url = curl_url();
    if (url == NULL)
        return STATUS_NO_MEMORY;
    enum status status = parse_url(config->url, url, problem);
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
    buffer_done(&transport->url);
    reply_head_done(&transport->head);
    buffer_done(&transport->body);
    free(transport);
}

static bool is_interrupted(const struct transport *transport) {
    struct pollfd interrupt = {.fd = transport->interrupt_file, .events = POLLIN};
    return transport->interrupt_file >= 0 && poll(&interrupt, 1, 0) > 0;
}

static enum status prepare(struct transport *transport, const struct round_request *request) {
    buffer_clear(&transport->url);
    buffer_append_text(&transport->url, transport->origin);
    buffer_append(&transport->url, request->path);
    buffer_append_byte(&transport->url, '\0');
    buffer_clear(&transport->body);
    transport->chunks = (struct chunks){.state = CHUNKS_SIZE};
    reply_head_clear(&transport->head);
    transport->error[0] = '\0';
    if (transport->url.status != STATUS_OK)
        return transport->url.status;
    CURL *easy = transport->easy;
    bool is_set = curl_easy_setopt(easy, CURLOPT_URL, transport->url.data) == CURLE_OK &&
                  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                   (curl_off_t)request->body.size) == CURLE_OK &&
                  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body.data) == CURLE_OK;
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

static enum reply_kind kind_of(const struct transport *transport, CURLcode code) {
    const struct reply_head *head = &transport->head;
    if (!head->is_complete)
        return REPLY_NONE;
    if (!is_success(head->status))
        return REPLY_WHOLE;
    bool is_framed = head->codings == 0 || (head->codings == 1 && head->is_chunked &&
                                            transport->chunks.state == CHUNKS_DONE);
    return code == CURLE_OK && is_framed ? REPLY_WHOLE : REPLY_CUT;
}

static void conclude(struct transport *transport, CURLcode code, struct transport_result *result) {
    const struct reply_head *head = &transport->head;
    enum reply_kind kind = kind_of(transport, code);
    long sent = 0; /* bytes handed to the system, so 0 only when the server saw none */
    curl_easy_getinfo(transport->easy, CURLINFO_REQUEST_SIZE, &sent);
    *result = (struct transport_result){.reply = {.kind = kind, .request_sent = sent != 0}};
    if (kind == REPLY_NONE && code != CURLE_OK)
        result->detail = transport->error[0] != '\0' ? transport->error : curl_easy_strerror(code);
    if (kind == REPLY_NONE)
        return;
    bool is_redirect = head->status >= REDIRECT_FIRST && head->status <= REDIRECT_LAST;
    result->reply.status = head->status;
    result->reply.is_json = reply_head_is_json(head);
    result->reply.location = is_redirect ? buffer_bytes(&head->location) : BYTES("");
    result->reply.body = buffer_bytes(&transport->body);
}

enum status transport_post(struct transport *transport, const struct round_request *request,
                           struct transport_result *result) {
    if (is_interrupted(transport)) {
        *result = (struct transport_result){.is_interrupted = true};
        return STATUS_OK;
    }
    enum status status = prepare(transport, request);
    if (status != STATUS_OK)
        return status;
    if (curl_multi_add_handle(transport->multi, transport->easy) != CURLM_OK)
        return STATUS_NO_MEMORY;
    CURLcode code = drive(transport);
    conclude(transport, code, result);
    curl_multi_remove_handle(transport->multi, transport->easy);
    if (code == CURLE_ABORTED_BY_CALLBACK && is_interrupted(transport)) {
        result->is_interrupted = true;
        result->reply.kind = REPLY_NONE;
        result->detail = NULL;
    }
    return STATUS_OK;
}
