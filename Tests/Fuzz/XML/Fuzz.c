// libFuzzer over the XML entry points: what a stranger posts is read, verified, decrypted and inflated.
#include "XMLSecurity.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static char certificate[8192], private_key[8192];

static void read_file(const char *variable, char *text, size_t size) {
    const char *path = getenv(variable);
    FILE *file = path == NULL ? NULL : fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "%s must name a file\n", variable);
        exit(2);
    }
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void ignore_open(void *context, const char *space, const char *name) {
    (void)space;
    *(size_t *)context += name[0] != '\0';
}

static void ignore_attribute(void *context, const char *space, const char *name, const char *value) {
    (void)space;
    *(size_t *)context += name[0] != value[0];
}

static void ignore_text(void *context, const char *text) { *(size_t *)context += text[0] != '\0'; }
static void ignore_close(void *context) { *(size_t *)context -= 1; }

int LLVMFuzzerInitialize(int *argument_count, char ***arguments) {
    (void)argument_count;
    (void)arguments;
    if (xml_start() != XML_OK) exit(2);
    read_file("FUZZ_CERTIFICATE", certificate, sizeof certificate);
    read_file("FUZZ_KEY", private_key, sizeof private_key);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    xml_octets octets = {NULL, 0};
    size_t seen = 0;
    xml_reader reader = {ignore_open, ignore_attribute, ignore_text, ignore_close};
    if (xml_read(bytes, count, &reader, &seen) == XML_OK) {
        for (int of_assertion = 0; of_assertion < 2; of_assertion++) {
            // Only the holder of the key makes a signature: the fuzzer cannot.
            if (xml_verify(bytes, count, of_assertion, certificate, 0, &octets) == XML_OK) {
                if (octets.count == 0 || xml_read(octets.bytes, octets.count, &reader, &seen) != XML_OK) abort();
                xml_octets_free(&octets);
            }
            if (xml_sign(bytes, count, of_assertion, private_key, &octets) == XML_OK) xml_octets_free(&octets);
        }
        if (xml_decrypt(bytes, count, private_key, &octets) == XML_OK) xml_octets_free(&octets);
    }
    if (xml_inflate(bytes, count, 196608, &octets) == XML_OK) {
        if (octets.count > 196608) abort();
        xml_octets_free(&octets);
    }
    return 0;
}
