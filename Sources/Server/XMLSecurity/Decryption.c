// Encrypted assertions: authenticated ciphers alone, so that an error tells an attacker nothing to build on.
#include "Security.h"
#include <string.h>

static int restrict_context(xmlSecEncCtxPtr context) {
    xmlSecPtrListPtr ciphers = &context->transformCtx.enabledTransforms;
    if (xmlSecPtrListAdd(ciphers, (xmlSecPtr)xmlSecTransformAes128GcmId) < 0) return -1;
    if (xmlSecPtrListAdd(ciphers, (xmlSecPtr)xmlSecTransformAes256GcmId) < 0) return -1;
    context->transformCtx.enabledUris = xmlSecTransformUriTypeNone;
    xmlSecKeyInfoCtxPtr keys = &context->keyInfoReadCtx;
    keys->maxRetrievalMethodLevel = 0;
    keys->maxEncryptedKeyLevel = 1;
    keys->retrievalMethodCtx.enabledUris = xmlSecTransformUriTypeNone;
    if (xmlSecPtrListAdd(&keys->enabledKeyData, (xmlSecPtr)xmlSecKeyDataEncryptedKeyId) < 0) return -1;
    if (xmlSecKeyInfoCtxCreateEncCtx(keys) < 0) return -1;
    // The list above does not bind the transport of the key.
    keys->encCtx->transformCtx.enabledUris = xmlSecTransformUriTypeNone;
    return xmlSecPtrListAdd(&keys->encCtx->transformCtx.enabledTransforms, (xmlSecPtr)xmlSecTransformRsaOaepId);
}

static xmlSecKeyStorePtr store_with(const char *private_key) {
    xmlSecKeyStorePtr store = xmlSecKeyStoreCreate(xmlSecSimpleKeysStoreId);
    if (store == NULL) return NULL;
    xmlSecKeyPtr key = xmlSecCryptoAppKeyLoadMemory(
        (const xmlSecByte *)private_key, (xmlSecSize)strlen(private_key), xmlSecKeyDataFormatPem, NULL, NULL, NULL);
    if (key == NULL || xmlSecSimpleKeysStoreAdoptKey(store, key) < 0) {
        if (key != NULL) xmlSecKeyDestroy(key);
        xmlSecKeyStoreDestroy(store);
        return NULL;
    }
    return store;
}

// One key and nothing else: the library's own manager reads all certificates of the system, each time.
static xmlSecKeysMngrPtr manager_with(const char *private_key) {
    xmlSecKeysMngrPtr manager = xmlSecKeysMngrCreate();
    if (manager == NULL) return NULL;
    xmlSecKeyStorePtr store = store_with(private_key);
    if (store == NULL || xmlSecKeysMngrAdoptKeysStore(manager, store) < 0) {
        if (store != NULL) xmlSecKeyStoreDestroy(store);
        xmlSecKeysMngrDestroy(manager);
        return NULL;
    }
    manager->getKey = xmlSecKeysMngrGetKey;
    return manager;
}

static int decrypt_node(xmlNodePtr data, const char *private_key, xml_octets *plaintext) {
    xmlSecKeysMngrPtr manager = manager_with(private_key);
    if (manager == NULL) return XML_KEY;
    xmlSecEncCtxPtr context = xmlSecEncCtxCreate(manager);
    int code = context == NULL || restrict_context(context) < 0 ? XML_FAILED : XML_OK;
    if (code == XML_OK) {
        xmlSecBufferPtr buffer = xmlSecEncCtxDecryptToBuffer(context, data);
        if (buffer == NULL || xmlSecBufferGetSize(buffer) == 0) {
            code = XML_INVALID;
        } else {
            code = xml_copy(xmlSecBufferGetData(buffer), xmlSecBufferGetSize(buffer), plaintext);
        }
    }
    if (context != NULL) xmlSecEncCtxDestroy(context);
    xmlSecKeysMngrDestroy(manager);
    return code;
}

static int has_cipher_value(xmlNodePtr encrypted) {
    xmlNodePtr cipher = encrypted == NULL ? NULL : xml_only_child(encrypted, "CipherData", ENCRYPTION_SPACE);
    xmlNodePtr value = cipher == NULL ? NULL : xml_only_child(cipher, "CipherValue", ENCRYPTION_SPACE);
    return value != NULL && xmlFirstElementChild(cipher) == value && xmlNextElementSibling(value) == NULL &&
           xmlFirstElementChild(value) == NULL;
}

// One key that lies in the data, both with their octets: libxmlsec1 does not free all of what it began with less.
static int is_whole(xmlNodePtr data) {
    xmlNodePtr info = xml_only_child(data, "KeyInfo", SIGNATURE_SPACE);
    xmlNodePtr key = info == NULL ? NULL : xml_only_child(info, "EncryptedKey", ENCRYPTION_SPACE);
    return has_cipher_value(data) && has_cipher_value(key);
}

int xml_decrypt(const unsigned char *xml, size_t count, const char *private_key, xml_octets *plaintext) {
    xmlDocPtr document;
    int code = xml_parse(xml, count, &document);
    if (code != XML_OK) return code;
    xmlNodePtr root = xmlDocGetRootElement(document);
    xmlNodePtr encrypted = xml_only_child(root, "EncryptedAssertion", ASSERTION_SPACE);
    xmlNodePtr data = encrypted == NULL ? NULL : xml_only_child(encrypted, "EncryptedData", ENCRYPTION_SPACE);
    code = data == NULL || !is_whole(data) ? XML_STRUCTURE : decrypt_node(data, private_key, plaintext);
    xmlFreeDoc(document);
    return code;
}
