// The libraries, once per process: no network, no files, no messages.
#include "Security.h"
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

static xmlParserInputPtr refuse_entity(const char *url, const char *id, xmlParserCtxtPtr parser) {
    (void)url;
    (void)id;
    (void)parser;
    return NULL;
}

static void ignore_failure(
    const char *file, int line, const char *function, const char *object, const char *subject, int reason,
    const char *message) {
    (void)file;
    (void)line;
    (void)function;
    (void)object;
    (void)subject;
    (void)reason;
    (void)message;
}

int xml_start(void) {
    xmlInitParser();
    xml_silence();
    xmlSetExternalEntityLoader(refuse_entity);
    if (xmlSecInit() < 0 || xmlSecCheckVersion() != 1) return XML_FAILED;
    xmlSecErrorsSetCallback(ignore_failure);
    if (xmlSecCryptoAppInit(NULL) < 0 || xmlSecCryptoInit() < 0) return XML_FAILED;
    // References could otherwise be read from files and servers.
    xmlSecIOCleanupCallbacks();
    return XML_OK;
}
