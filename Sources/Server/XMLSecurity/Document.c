// The strict reader: one parser and one set of options for everything that is read, verified or decrypted.
#include "Document.h"
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 64, ELEMENTS_MAX = 4000, ATTRIBUTES_MAX = 100, NAMESPACES_MAX = 32 };

static void ignore_message(void *context, const char *message, ...) {
    (void)context;
    (void)message;
}

static void ignore_error(void *context, xmlErrorPtr error) {
    (void)context;
    (void)error;
}

void xml_silence(void) {
    xmlSetGenericErrorFunc(NULL, ignore_message);
    xmlSetStructuredErrorFunc(NULL, ignore_error);
}

void xml_octets_free(xml_octets *octets) {
    if (octets->bytes != NULL) memset(octets->bytes, 0, octets->count);
    free(octets->bytes);
    octets->bytes = NULL;
    octets->count = 0;
}

int xml_copy(const unsigned char *bytes, size_t count, xml_octets *octets) {
    octets->bytes = malloc(count > 0 ? count : 1);
    if (octets->bytes == NULL) return XML_FAILED;
    memcpy(octets->bytes, bytes, count);
    octets->count = count;
    return XML_OK;
}

// Canonicalization fails on relative namespaces, and a caller that overlooked the failure would hash nothing.
static int check_namespaces(xmlNodePtr element) {
    int count = 0;
    for (xmlNsPtr space = element->nsDef; space != NULL; space = space->next) {
        if (++count > NAMESPACES_MAX) return XML_TOO_LARGE;
        const char *href = (const char *)space->href;
        if (href != NULL && href[0] != '\0' && strchr(href, ':') == NULL) return XML_FORBIDDEN;
    }
    return XML_OK;
}

static int check_element(xmlNodePtr element) {
    int count = 0;
    for (xmlAttrPtr attribute = element->properties; attribute != NULL; attribute = attribute->next) {
        if (++count > ATTRIBUTES_MAX) return XML_TOO_LARGE;
        for (xmlNodePtr part = attribute->children; part != NULL; part = part->next) {
            if (part->type != XML_TEXT_NODE) return XML_FORBIDDEN;
        }
    }
    return check_namespaces(element);
}

// The next node in document order below `root`; `*level` follows.
static xmlNodePtr next_node(xmlNodePtr node, xmlNodePtr root, int *level) {
    if (node->type == XML_ELEMENT_NODE && node->children != NULL) {
        *level += 1;
        return node->children;
    }
    while (node != root && node->next == NULL) {
        node = node->parent;
        *level -= 1;
    }
    return node == root ? NULL : node->next;
}

static int check_tree(xmlNodePtr root) {
    int level = 1, elements = 0;
    for (xmlNodePtr node = root; node != NULL; node = next_node(node, root, &level)) {
        switch (node->type) {
        case XML_ELEMENT_NODE: {
            if (++elements > ELEMENTS_MAX || level > LEVELS_MAX) return XML_TOO_LARGE;
            int code = check_element(node);
            if (code != XML_OK) return code;
            break;
        }
        case XML_TEXT_NODE:
        case XML_CDATA_SECTION_NODE:
        case XML_COMMENT_NODE:
            break;
        default:
            return XML_FORBIDDEN;
        }
    }
    return XML_OK;
}

static int contains(const unsigned char *bytes, size_t count, const char *word) {
    return memmem(bytes, count, word, strlen(word)) != NULL;
}

int xml_parse(const unsigned char *xml, size_t count, xmlDocPtr *document) {
    *document = NULL;
    xml_silence();
    if (count == 0 || count > 1024 * 1024) return XML_TOO_LARGE;
    if (memchr(xml, 0, count) != NULL) return XML_MALFORMED;
    // An internal subset is parsed even with every option off, and its attribute lists would register identifiers.
    if (contains(xml, count, "<!DOCTYPE") || contains(xml, count, "<!ENTITY")) return XML_FORBIDDEN;
    xmlParserCtxtPtr parser = xmlNewParserCtxt();
    if (parser == NULL) return XML_FAILED;
    xmlDocPtr parsed = xmlCtxtReadMemory(
        parser, (const char *)xml, (int)count, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    int is_good = parsed != NULL && parser->wellFormed && parser->nsWellFormed;
    int declares_other = parsed != NULL && parsed->encoding != NULL
        && xmlStrcasecmp(parsed->encoding, BAD_CAST "UTF-8") != 0;
    xmlFreeParserCtxt(parser);
    int code = is_good && !declares_other ? XML_OK : XML_MALFORMED;
    xmlNodePtr root = code == XML_OK ? xmlDocGetRootElement(parsed) : NULL;
    if (code == XML_OK && root == NULL) code = XML_MALFORMED;
    if (code == XML_OK && (parsed->intSubset != NULL || parsed->extSubset != NULL)) code = XML_FORBIDDEN;
    if (code == XML_OK) code = check_tree(root);
    if (code != XML_OK) {
        if (parsed != NULL) xmlFreeDoc(parsed);
        return code;
    }
    *document = parsed;
    return XML_OK;
}

xmlNodePtr xml_only_child(xmlNodePtr parent, const char *name, const char *space) {
    xmlNodePtr found = NULL;
    for (xmlNodePtr node = parent->children; node != NULL; node = node->next) {
        if (node->type != XML_ELEMENT_NODE || node->ns == NULL) continue;
        if (!xmlStrEqual(node->name, BAD_CAST name) || !xmlStrEqual(node->ns->href, BAD_CAST space)) continue;
        if (found != NULL) return NULL;
        found = node;
    }
    return found;
}

static const char *space_of(xmlNsPtr space) { return space == NULL ? NULL : (const char *)space->href; }

static void tell_element(xmlNodePtr node, const xml_reader *reader, void *context) {
    reader->open(context, space_of(node->ns), (const char *)node->name);
    for (xmlAttrPtr attribute = node->properties; attribute != NULL; attribute = attribute->next) {
        xmlChar *value = xmlNodeListGetString(node->doc, attribute->children, 1);
        reader->attribute(
            context, space_of(attribute->ns), (const char *)attribute->name, value == NULL ? "" : (const char *)value);
        xmlFree(value);
    }
}

int xml_read(const unsigned char *xml, size_t count, const xml_reader *reader, void *context) {
    xmlDocPtr document;
    int code = xml_parse(xml, count, &document);
    if (code != XML_OK) return code;
    xmlNodePtr root = xmlDocGetRootElement(document);
    int level = 1, open = 0;
    for (xmlNodePtr node = root; node != NULL; node = next_node(node, root, &level)) {
        for (; open >= level; open--) reader->close(context);
        if (node->type == XML_ELEMENT_NODE) {
            tell_element(node, reader, context);
            open = level;
        } else if (node->type != XML_COMMENT_NODE && node->content != NULL) {
            reader->text(context, (const char *)node->content);
        }
    }
    for (; open > 0; open--) reader->close(context);
    xmlFreeDoc(document);
    return XML_OK;
}
