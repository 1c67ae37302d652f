// XML for SAML messages: a strict reader, signatures and decryption. Every function may be called from any thread, keeps
// nothing, and answers with a code.
#ifndef KEYTURN_XML_SECURITY_H
#define KEYTURN_XML_SECURITY_H

#include <stddef.h>

// What went wrong; 0 is success.
enum {
    XML_OK = 0,
    XML_MALFORMED = 1,    // not well formed, or in another encoding than UTF-8
    XML_FORBIDDEN = 2,    // a document type, an entity, a processing instruction, a relative namespace
    XML_TOO_LARGE = 3,    // beyond a bound
    XML_STRUCTURE = 4,    // the signature or the ciphertext is not where and how it must be
    XML_KEY = 5,          // the key cannot be read
    XML_INVALID = 6,      // the signature does not verify, or the ciphertext does not open
    XML_FAILED = 7,       // the library gave up
};

// Bytes that the caller releases with xml_octets_free.
typedef struct {
    unsigned char *bytes;
    size_t count;
} xml_octets;

void xml_octets_free(xml_octets *octets);

// Once per process, before anything else.
int xml_start(void);

// Receives a document in its order. Names are local names; a namespace is NULL where there is none.
typedef struct {
    void (*open)(void *context, const char *space, const char *name);
    void (*attribute)(void *context, const char *space, const char *name, const char *value);
    void (*text)(void *context, const char *text);
    void (*close)(void *context);
} xml_reader;

// Reads a document: at most 64 levels, 4,000 elements, 100 attributes and 32 namespaces of an element.
int xml_read(const unsigned char *xml, size_t count, const xml_reader *reader, void *context);

// Verifies the signature of the root, or of the root's only Assertion, with the public key of a certificate (PEM).
// KeyInfo counts for nothing. The octets are those that were hashed: nothing else of the document is signed.
int xml_verify(
    const unsigned char *xml, size_t count, int of_assertion, const char *certificate, int allows_sha1,
    xml_octets *signed_octets);

// Signs the root, or the root's only Assertion, with a private key (PKCS #8, PEM), after its Issuer: RSA or ECDSA with
// SHA-256, exclusive canonicalization.
int xml_sign(
    const unsigned char *xml, size_t count, int of_assertion, const char *private_key, xml_octets *signed_xml);

// Decrypts the root's only EncryptedAssertion with a private key (PKCS #8, PEM): AES-GCM under RSA-OAEP.
int xml_decrypt(const unsigned char *xml, size_t count, const char *private_key, xml_octets *plaintext);

// Raw DEFLATE (RFC 1951), as the HTTP-Redirect binding wants it.
int xml_deflate(const unsigned char *bytes, size_t count, xml_octets *deflated);
int xml_inflate(const unsigned char *bytes, size_t count, size_t count_max, xml_octets *inflated);

#endif
