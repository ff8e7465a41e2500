#include "document.h"

#include "visible_text.h"
#ifdef TANDEM_CLIENT
#include "fetch.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { WHY_SIZE_MAX = 65536 };

static bool is_letter(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* The length of a scheme, with the "://" behind it; 0 when the name has none. */
static size_t scheme_size(const char *name) {
    size_t size = 0;
    while (is_letter(name[size]) ||
           (size > 0 && name[size] != '\0' && strchr("0123456789+-.", name[size]) != NULL))
        size++;
    return size > 0 && strncmp(name + size, "://", 3) == 0 ? size + 3 : 0;
}

void document_show_name(struct buffer *out, const char *name) {
    struct bytes text = bytes_of_text(name);
    size_t scheme = scheme_size(name);
    if (scheme == 0) {
        visible_text_write(out, text);
        return;
    }
    size_t end = scheme + strcspn(name + scheme, "?#");
    size_t authority_end = scheme + strcspn(name + scheme, "/?#");
    size_t start = authority_end;
    while (start > scheme && name[start - 1] != '@')
        start--;
    visible_text_write(out, bytes_up_to(text, scheme));
    visible_text_write(out, bytes_from(bytes_up_to(text, end), start));
}

/* STATUS_IO with errno. */
static enum status read_file(const char *path, struct buffer *out) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return STATUS_IO;
    enum status status = STATUS_OK;
    for (ssize_t got = 1; got != 0 && status == STATUS_OK;) {
        unsigned char piece[16384];
        got = read(file, piece, sizeof piece);
        if (got > 0)
            buffer_append(out, (struct bytes){piece, (size_t)got});
        status = got >= 0 ? out->status : errno == EINTR ? STATUS_OK : STATUS_IO;
    }
    int why = errno;
    close(file);
    errno = why;
    return status;
}

static bool read_path(const struct arguments *arguments, const char *path, const char *shown,
                      struct buffer *out) {
    enum status status = read_file(path, out);
    if (status == STATUS_OK)
        return true;
    if (status == STATUS_LIMIT)
        complain(arguments, "%s: longer than %zu bytes", shown, out->ceiling);
    else
        complain(arguments, "%s: can't be read: %s", shown,
                 status == STATUS_IO ? strerror(errno) : status_text(status));
    return false;
}

#ifdef TANDEM_CLIENT
static bool read_url(const struct arguments *arguments, const struct network_config *network,
                     const char *url, const char *shown, struct buffer *out) {
    struct buffer why = buffer_new(WHY_SIZE_MAX);
    bool is_there = fetch(url, network, out, &why);
    if (!is_there)
        complain(arguments, "%s: %.*s", shown, (int)why.size,
                 why.size == 0 ? "" : (char *)why.data);
    buffer_done(&why);
    return is_there;
}
#else
static bool read_url(const struct arguments *arguments, const struct network_config *network,
                     const char *url, const char *shown, struct buffer *out) {
    (void)network;
    (void)url;
    (void)out;
    complain(arguments,
             "%s: this build can't fetch it, since it was made without the client "
             "(TANDEM_CLIENT=OFF); name a file",
             shown);
    return false;
}
#endif

bool document_read(const struct arguments *arguments, const struct network_config *network,
                   const char *name, const char *shown, struct buffer *out) {
    return scheme_size(name) > 0 ? read_url(arguments, network, name, shown, out)
                                 : read_path(arguments, name, shown, out);
}
