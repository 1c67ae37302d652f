// Shared by the files of this target.
#ifndef KEYTURN_XML_DOCUMENT_H
#define KEYTURN_XML_DOCUMENT_H

#include "XMLSecurity.h"
#include <libxml/tree.h>

#define ASSERTION_SPACE "urn:oasis:names:tc:SAML:2.0:assertion"
#define SIGNATURE_SPACE "http://www.w3.org/2000/09/xmldsig#"
#define ENCRYPTION_SPACE "http://www.w3.org/2001/04/xmlenc#"

// Parses and checks a document; `*document` is released by the caller.
int xml_parse(const unsigned char *xml, size_t count, xmlDocPtr *document);

// The only direct child of this name; NULL if there is none, or more than one.
xmlNodePtr xml_only_child(xmlNodePtr parent, const char *name, const char *space);

// Copies bytes for the caller.
int xml_copy(const unsigned char *bytes, size_t count, xml_octets *octets);

// The libraries say nothing on standard error; libxml2 keeps its setting for each thread.
void xml_silence(void);

#endif
