#include "connections.h"
#include "http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool parse_port(const char *text, in_port_t *port) {
    unsigned long value = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        value = value * 10 + (unsigned long)(*text - '0');
        if (value > 65535)
            return false;
    }
    *port = htons((uint16_t)value);
    return true;
}

static bool parse_address(const char *text, union address *address) {
    const char *colon = strrchr(text, ':');
    char host[INET6_ADDRSTRLEN + 2];
    in_port_t port;
    if (colon == NULL || (size_t)(colon - text) >= sizeof host || !parse_port(colon + 1, &port))
        return false;
    size_t size = (size_t)(colon - text);
    memcpy(host, text, size);
    host[size] = '\0';
    *address = (union address){0};
    if (host[0] == '[' && host[size - 1] == ']') {
        host[size - 1] = '\0';
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = port;
        return inet_pton(AF_INET6, host + 1, &address->v6.sin6_addr) == 1;
    }
    address->v4.sin_family = AF_INET;
    address->v4.sin_port = port;
    return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1;
}

bool http_address_is_valid(const char *text) {
    union address address;
    return parse_address(text, &address);
}

static socklen_t address_size(const union address *address) {
    return address->any.sa_family == AF_INET6 ? sizeof address->v6 : sizeof address->v4;
}

static void write_url(const union address *address, char url[HTTP_URL_SIZE]) {
    char host[INET6_ADDRSTRLEN] = "";
    if (address->any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &address->v6.sin6_addr, host, sizeof host);
        snprintf(url, HTTP_URL_SIZE, "http://[%s]:%d", host, ntohs(address->v6.sin6_port));
    } else {
        inet_ntop(AF_INET, &address->v4.sin_addr, host, sizeof host);
        snprintf(url, HTTP_URL_SIZE, "http://%s:%d", host, ntohs(address->v4.sin_port));
    }
}

static bool bind_and_listen(int listener, union address *address) {
    int on = 1;
    if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
        return false;
    if (address->any.sa_family == AF_INET6 &&
        setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) != 0)
        return false;
    socklen_t size = address_size(address);
    return bind(listener, &address->any, size) == 0 && listen(listener, HTTP_LISTEN_QUEUE) == 0 &&
           getsockname(listener, &address->any, &size) == 0;
}

enum status http_listen(const char *text, int *listener, char url[HTTP_URL_SIZE]) {
    union address address;
    if (!parse_address(text, &address))
        return STATUS_INVALID;
    int made = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (made < 0)
        return STATUS_IO;
    if (!bind_and_listen(made, &address)) {
        int why = errno;
        close(made);
        errno = why;
        return STATUS_IO;
    }
    write_url(&address, url);
    *listener = made;
    return STATUS_OK;
}
