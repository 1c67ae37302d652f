// XML signatures, with every choice that a message could make taken away from it.
#include "Security.h"
#include <libxml/valid.h>
#include <string.h>

// The element that is signed, its only signature, and its identifier made known.
static int find_target(xmlDocPtr document, int of_assertion, xmlNodePtr *target) {
    xmlNodePtr root = xmlDocGetRootElement(document);
    *target = of_assertion ? xml_only_child(root, "Assertion", ASSERTION_SPACE) : root;
    if (*target == NULL) return XML_STRUCTURE;
    xmlAttrPtr id = xmlHasNsProp(*target, BAD_CAST "ID", NULL);
    if (id == NULL) return XML_STRUCTURE;
    xmlChar *value = xmlNodeListGetString(document, id->children, 1);
    if (value == NULL) return XML_STRUCTURE;
    // Anything but a plain name would be read as an expression.
    int is_good = xmlValidateNCName(value, 0) == 0 && xmlGetID(document, value) == NULL
        && xmlAddID(NULL, document, value, id) != NULL;
    xmlFree(value);
    return is_good ? XML_OK : XML_STRUCTURE;
}

static int allow_reference(xmlSecDSigCtxPtr context, int allows_sha1) {
    const xmlSecTransformId ids[] = {
        xmlSecTransformEnvelopedId, xmlSecTransformExclC14NId, xmlSecTransformSha256Id, xmlSecTransformSha384Id,
        xmlSecTransformSha512Id,
    };
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        if (xmlSecDSigCtxEnableReferenceTransform(context, ids[i]) < 0) return -1;
    }
    return allows_sha1 ? xmlSecDSigCtxEnableReferenceTransform(context, xmlSecTransformSha1Id) : 0;
}

static int allow_signature(xmlSecDSigCtxPtr context, int allows_sha1) {
    const xmlSecTransformId ids[] = {
        xmlSecTransformExclC14NId, xmlSecTransformRsaSha256Id, xmlSecTransformRsaSha384Id, xmlSecTransformRsaSha512Id,
        xmlSecTransformEcdsaSha256Id, xmlSecTransformEcdsaSha384Id, xmlSecTransformEcdsaSha512Id,
    };
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        if (xmlSecDSigCtxEnableSignatureTransform(context, ids[i]) < 0) return -1;
    }
    return allows_sha1 ? xmlSecDSigCtxEnableSignatureTransform(context, xmlSecTransformRsaSha1Id) : 0;
}

static int restrict_context(xmlSecDSigCtxPtr context, int allows_sha1) {
    context->enabledReferenceUris = xmlSecTransformUriTypeSameDocument;
    context->flags |= XMLSEC_DSIG_FLAGS_IGNORE_MANIFESTS | XMLSEC_DSIG_FLAGS_STORE_SIGNEDINFO_REFERENCES;
    context->keyInfoReadCtx.maxRetrievalMethodLevel = 0;
    context->keyInfoReadCtx.maxEncryptedKeyLevel = 0;
    context->keyInfoReadCtx.retrievalMethodCtx.enabledUris = xmlSecTransformUriTypeNone;
    if (xmlSecPtrListAdd(&context->keyInfoReadCtx.enabledKeyData, (xmlSecPtr)xmlSecKeyDataNameId) < 0) return -1;
    if (allow_reference(context, allows_sha1) < 0) return -1;
    return allow_signature(context, allows_sha1);
}

// What was hashed, if it is the element that holds the signature and nothing else.
static int signed_octets_of(xmlSecDSigCtxPtr context, xmlNodePtr signature, xml_octets *octets) {
    if (xmlSecPtrListGetSize(&context->signedInfoReferences) != 1) return XML_STRUCTURE;
    xmlSecDSigReferenceCtxPtr reference = xmlSecPtrListGetItem(&context->signedInfoReferences, 0);
    if (reference == NULL || reference->status != xmlSecDSigStatusSucceeded) return XML_INVALID;
    if (reference->uri == NULL || reference->uri[0] != '#') return XML_STRUCTURE;
    xmlAttrPtr id = xmlGetID(signature->doc, reference->uri + 1);
    if (id == NULL || id->parent != signature->parent) return XML_STRUCTURE;
    xmlSecBufferPtr buffer = xmlSecDSigReferenceCtxGetPreDigestBuffer(reference);
    if (buffer == NULL || xmlSecBufferGetData(buffer) == NULL || xmlSecBufferGetSize(buffer) == 0) return XML_INVALID;
    return xml_copy(xmlSecBufferGetData(buffer), xmlSecBufferGetSize(buffer), octets);
}

static int verify_node(xmlNodePtr signature, const char *certificate, int allows_sha1, xml_octets *octets) {
    xmlSecDSigCtxPtr context = xmlSecDSigCtxCreate(NULL);
    if (context == NULL) return XML_FAILED;
    int code = restrict_context(context, allows_sha1) < 0 ? XML_FAILED : XML_OK;
    // With a key of our own, the message's KeyInfo is not asked.
    context->signKey = xmlSecCryptoAppKeyLoadMemory(
        (const xmlSecByte *)certificate, (xmlSecSize)strlen(certificate), xmlSecKeyDataFormatCertPem, NULL, NULL, NULL);
    if (code == XML_OK && context->signKey == NULL) code = XML_KEY;
    if (code == XML_OK && xmlSecDSigCtxVerify(context, signature) < 0) code = XML_INVALID;
    // Success of the call is not success of the check.
    if (code == XML_OK && context->status != xmlSecDSigStatusSucceeded) code = XML_INVALID;
    if (code == XML_OK) code = signed_octets_of(context, signature, octets);
    xmlSecDSigCtxDestroy(context);
    return code;
}

int xml_verify(
    const unsigned char *xml, size_t count, int of_assertion, const char *certificate, int allows_sha1,
    xml_octets *signed_octets) {
    xmlDocPtr document;
    int code = xml_parse(xml, count, &document);
    if (code != XML_OK) return code;
    xmlNodePtr target;
    code = find_target(document, of_assertion, &target);
    xmlNodePtr signature = code == XML_OK ? xml_only_child(target, "Signature", SIGNATURE_SPACE) : NULL;
    if (code == XML_OK && signature == NULL) code = XML_STRUCTURE;
    if (code == XML_OK) code = verify_node(signature, certificate, allows_sha1, signed_octets);
    xmlFreeDoc(document);
    return code;
}

static xmlNodePtr add_template(xmlNodePtr target, xmlSecTransformId method) {
    xmlNodePtr signature = xmlSecTmplSignatureCreate(target->doc, xmlSecTransformExclC14NId, method, NULL);
    if (signature == NULL) return NULL;
    xmlNodePtr issuer = xml_only_child(target, "Issuer", ASSERTION_SPACE);
    if (issuer != NULL) {
        xmlAddNextSibling(issuer, signature);
    } else if (target->children != NULL) {
        xmlAddPrevSibling(target->children, signature);
    } else {
        xmlAddChild(target, signature);
    }
    xmlChar *id = xmlGetNoNsProp(target, BAD_CAST "ID");
    xmlChar *uri = xmlStrncatNew(BAD_CAST "#", id, -1);
    xmlNodePtr reference = xmlSecTmplSignatureAddReference(signature, xmlSecTransformSha256Id, NULL, uri, NULL);
    xmlFree(uri);
    xmlFree(id);
    if (reference == NULL) return NULL;
    if (xmlSecTmplReferenceAddTransform(reference, xmlSecTransformEnvelopedId) == NULL) return NULL;
    if (xmlSecTmplReferenceAddTransform(reference, xmlSecTransformExclC14NId) == NULL) return NULL;
    return signature;
}

static int sign_target(xmlNodePtr target, const char *private_key) {
    xmlSecDSigCtxPtr context = xmlSecDSigCtxCreate(NULL);
    if (context == NULL) return XML_FAILED;
    int code = XML_OK;
    context->signKey = xmlSecCryptoAppKeyLoadMemory(
        (const xmlSecByte *)private_key, (xmlSecSize)strlen(private_key), xmlSecKeyDataFormatPem, NULL, NULL, NULL);
    if (context->signKey == NULL) code = XML_KEY;
    xmlNodePtr signature = NULL;
    if (code == XML_OK) {
        int is_rsa = xmlSecKeyGetValue(context->signKey)->id == xmlSecKeyDataRsaId;
        signature = add_template(target, is_rsa ? xmlSecTransformRsaSha256Id : xmlSecTransformEcdsaSha256Id);
        if (signature == NULL) code = XML_FAILED;
    }
    if (code == XML_OK && xmlSecDSigCtxSign(context, signature) < 0) code = XML_FAILED;
    if (code == XML_OK && context->status != xmlSecDSigStatusSucceeded) code = XML_FAILED;
    xmlSecDSigCtxDestroy(context);
    return code;
}

int xml_sign(
    const unsigned char *xml, size_t count, int of_assertion, const char *private_key, xml_octets *signed_xml) {
    xmlDocPtr document;
    int code = xml_parse(xml, count, &document);
    if (code != XML_OK) return code;
    xmlNodePtr target;
    code = find_target(document, of_assertion, &target);
    if (code == XML_OK) code = sign_target(target, private_key);
    if (code == XML_OK) {
        xmlChar *text = NULL;
        int length = 0;
        xmlDocDumpMemoryEnc(document, &text, &length, "UTF-8");
        code = text == NULL ? XML_FAILED : xml_copy(text, (size_t)length, signed_xml);
        xmlFree(text);
    }
    xmlFreeDoc(document);
    return code;
}
