/* POSTs over TLS: certificates and host names are checked before a byte of the booking leaves. */
#include "fixtures.h"

#include "transport.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REPLY_WITH_LENGTH                                                                          \
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
#define REPLY_CUT_SHORT                                                                            \
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{}"

enum { DAY = 86400, TIMEOUT = 60000 };

/* A server that answers one connection, in a thread. */
struct tls_server {
    EVP_PKEY *key;
    X509 *certificate;
    char file[64]; /* the certificate, as PEM */
    int listener;
    unsigned port;
    const char *reply;
    bool closes_properly; /* with TLS's own close */
    pthread_t thread;
    size_t received; /* bytes of the request */
};

static X509 *make_certificate(EVP_PKEY *key, const char *names, long valid_for) {
    X509 *certificate = X509_new();
    assert_non_null(certificate);
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -2L * DAY);
    X509_gmtime_adj(X509_getm_notAfter(certificate), valid_for);
    X509_set_pubkey(certificate, key);
    X509_NAME *name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);
    assert_non_null(extension);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    assert_true(X509_sign(certificate, key, EVP_sha256()) > 0);
    return certificate;
}

static void write_certificate(struct tls_server *server) {
    strcpy(server->file, "/tmp/tandem-cert-XXXXXX");
    int file = mkstemp(server->file);
    FILE *out = fdopen(file, "w");
    assert_non_null(out);
    assert_int_equal(PEM_write_X509(out, server->certificate), 1);
    assert_int_equal(fclose(out), 0);
}

static void answer(struct tls_server *server, SSL *connection) {
    char request[4096];
    if (SSL_accept(connection) != 1)
        return;
    int got = SSL_read(connection, request, sizeof request);
    server->received = got > 0 ? (size_t)got : 0;
    SSL_write(connection, server->reply, (int)strlen(server->reply));
    if (server->closes_properly)
        SSL_shutdown(connection);
}

static void *serve(void *context) {
    struct tls_server *server = context;
    int socket_file = accept(server->listener, NULL, NULL);
    SSL_CTX *settings = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate(settings, server->certificate);
    SSL_CTX_use_PrivateKey(settings, server->key);
    SSL *connection = SSL_new(settings);
    SSL_set_fd(connection, socket_file);
    answer(server, connection);
    SSL_free(connection);
    SSL_CTX_free(settings);
    shutdown(socket_file, SHUT_WR);
    char rest[256];
    while (recv(socket_file, rest, sizeof rest, 0) > 0)
        ;
    close(socket_file);
    OPENSSL_thread_stop();
    return NULL;
}

static void start(struct tls_server *server, const char *names, long valid_for) {
    server->key = EVP_EC_gen("P-256");
    assert_non_null(server->key);
    server->certificate = make_certificate(server->key, names, valid_for);
    write_certificate(server);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(server->listener, 1), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &size), 0);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void stop(struct tls_server *server) {
    pthread_join(server->thread, NULL);
    close(server->listener);
    unlink(server->file);
    X509_free(server->certificate);
    EVP_PKEY_free(server->key);
}

/* Posts to a server with such a certificate. What came of it, without the texts. */
static struct transport_result post(struct tls_server *server, const char *names, long valid_for,
                                    bool is_trusted) {
    static const struct transport_request request = {.method = TRANSPORT_POST,
                                                     .target = ROW_BYTES("/salons/elm-street/book"),
                                                     .body = ROW_BYTES("{}")};
    start(server, names, valid_for);
    char url[64];
    snprintf(url, sizeof url, "https://127.0.0.1:%u", server->port);
    const struct transport_config config = {.url = url,
                                            .ca_file = is_trusted ? server->file : NULL,
                                            .timeout = TIMEOUT,
                                            .interrupt_file = -1,
                                            .reply_size_max = 1024};
    struct transport *transport = NULL;
    const char *problem = NULL;
    struct transport_result result;
    assert_int_equal(transport_new(&config, &transport, &problem), STATUS_OK);
    assert_int_equal(transport_send(transport, &request, &result), STATUS_OK);
    if (result.kind == TRANSPORT_NONE)
        assert_non_null(result.detail);
    transport_free(transport);
    stop(server);
    return result;
}

static void given_a_trusted_certificate_when_posted_then_the_reply_comes(void **state) {
    (void)state;
    struct tls_server server = {.reply = REPLY_WITH_LENGTH, .closes_properly = true};
    struct transport_result result = post(&server, "IP:127.0.0.1", DAY, true);
    assert_int_equal(result.kind, TRANSPORT_WHOLE);
    assert_int_equal(result.status, 200);
    assert_true(server.received > 0);
}

static void given_a_certificate_that_is_wrong_when_posted_then_nothing_is_sent(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const char *names;
        long valid_for;
        bool is_trusted;
    } rows[] = {
        {"nobody vouches for it", "IP:127.0.0.1", DAY, false},
        {"for another address", "IP:127.0.0.2", DAY, true},
        {"for a name", "DNS:localhost", DAY, true},
        {"past its time", "IP:127.0.0.1", -1L * DAY, true},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct tls_server server = {.reply = REPLY_WITH_LENGTH, .closes_properly = true};
        struct transport_result result =
            post(&server, rows[i].names, rows[i].valid_for, rows[i].is_trusted);
        if (result.kind != TRANSPORT_NONE || result.request_sent || server.received != 0)
            fail_msg("a certificate is accepted: %s", rows[i].name);
    }
}

static void given_a_reply_when_tls_is_cut_within_it_then_it_is_cut(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct tls_server server = {.reply = REPLY_CUT_SHORT, .closes_properly = i == 0};
        assert_int_equal(post(&server, "IP:127.0.0.1", DAY, true).kind, TRANSPORT_CUT);
    }
}

static int set_up_library(void **state) {
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return transport_library_init() == STATUS_OK ? 0 : -1;
}

static int tear_down_library(void **state) {
    (void)state;
    transport_library_done();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_trusted_certificate_when_posted_then_the_reply_comes),
        cmocka_unit_test(given_a_certificate_that_is_wrong_when_posted_then_nothing_is_sent),
        cmocka_unit_test(given_a_reply_when_tls_is_cut_within_it_then_it_is_cut),
    };
    return cmocka_run_group_tests(tests, set_up_library, tear_down_library);
}
