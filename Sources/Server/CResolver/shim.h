#ifndef KEYTURN_RESOLVER_H
#define KEYTURN_RESOLVER_H

#include <netinet/in.h>
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <resolv.h>
#include <string.h>

/* Asks for the TXT records of a name; `server` (IPv4) and `port` take the place of the system's name servers, if not null.
   Returns the length of the answer, -1 if there is none, -2 if no server answered, -3 if a server cannot be chosen. */
static inline int keyturn_txt_query(
    const char *name, const char *server, int port, unsigned char *answer, int size) {
#if defined(__GLIBC__) || defined(__APPLE__)
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0) return -2;
    if (server) {
        memset(&state.nsaddr_list[0], 0, sizeof state.nsaddr_list[0]);
        state.nsaddr_list[0].sin_family = AF_INET;
        state.nsaddr_list[0].sin_port = htons((unsigned short)port);
        if (inet_pton(AF_INET, server, &state.nsaddr_list[0].sin_addr) != 1) { res_nclose(&state); return -3; }
        state.nscount = 1;
    }
    int length = res_nquery(&state, name, ns_c_in, ns_t_txt, answer, size);
    int reason = state.res_h_errno;
    res_nclose(&state);
    /* 1: no such name, 4: no such record. */
    if (length < 0) return reason == 1 || reason == 4 ? -1 : -2;
    return length;
#else
    if (server) return -3;
    int length = res_query(name, ns_c_in, ns_t_txt, answer, size);
    return length < 0 ? -1 : length;
#endif
}

/* The text of the answer's record of this index, its parts joined. Returns its length, -1 after the last record, and -2
   for a record that is no text or does not fit. */
static inline int keyturn_txt_record(const unsigned char *answer, int size, int index, unsigned char *text, int room) {
    ns_msg message;
    ns_rr record;
    if (ns_initparse(answer, size, &message) != 0) return -1;
    if (index >= ns_msg_count(message, ns_s_an)) return -1;
    if (ns_parserr(&message, ns_s_an, index, &record) != 0) return -2;
    if (ns_rr_type(record) != ns_t_txt) return -2;
    const unsigned char *data = ns_rr_rdata(record);
    int left = ns_rr_rdlen(record), length = 0;
    while (left > 0) {
        int part = data[0];
        if (part + 1 > left || length + part > room) return -2;
        memcpy(text + length, data + 1, (size_t)part);
        length += part;
        data += part + 1;
        left -= part + 1;
    }
    return length;
}

#endif
