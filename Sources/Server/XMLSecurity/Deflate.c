// Raw DEFLATE, bounded.
#include "Document.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int xml_deflate(const unsigned char *bytes, size_t count, xml_octets *deflated) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) return XML_FAILED;
    size_t room = deflateBound(&stream, count);
    unsigned char *out = malloc(room);
    if (out == NULL) {
        deflateEnd(&stream);
        return XML_FAILED;
    }
    stream.next_in = (unsigned char *)bytes;
    stream.avail_in = (unsigned)count;
    stream.next_out = out;
    stream.avail_out = (unsigned)room;
    int code = deflate(&stream, Z_FINISH) == Z_STREAM_END ? xml_copy(out, stream.total_out, deflated) : XML_FAILED;
    deflateEnd(&stream);
    free(out);
    return code;
}

int xml_inflate(const unsigned char *bytes, size_t count, size_t count_max, xml_octets *inflated) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return XML_FAILED;
    unsigned char *out = malloc(count_max + 1);
    if (out == NULL) {
        inflateEnd(&stream);
        return XML_FAILED;
    }
    stream.next_in = (unsigned char *)bytes;
    stream.avail_in = (unsigned)count;
    stream.next_out = out;
    stream.avail_out = (unsigned)(count_max + 1);
    int result = inflate(&stream, Z_FINISH);
    int code = stream.total_out > count_max ? XML_TOO_LARGE : XML_MALFORMED;
    if (result == Z_STREAM_END && stream.total_out <= count_max) code = xml_copy(out, stream.total_out, inflated);
    inflateEnd(&stream);
    free(out);
    return code;
}
