/* Tells the service manager how the server is, by systemd's protocol (sd_notify(3)): one datagram
 * to the socket that it names. Does nothing when it names none. Private to cli. */
#ifndef TANDEM_NOTIFY_H
#define TANDEM_NOTIFY_H

void notify_ready(void);
void notify_reloading(void);
void notify_stopping(void);

#endif
