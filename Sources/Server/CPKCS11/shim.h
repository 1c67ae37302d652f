#ifndef KEYTURN_PKCS11_H
#define KEYTURN_PKCS11_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<p11-kit-1/p11-kit/pkcs11.h>)
#include <p11-kit-1/p11-kit/pkcs11.h>
#else
#include <p11-kit/pkcs11.h>
#endif

/* What is asked of a PKCS #11 module (v2.40), with the structures that Swift would have to build out of pointers. Each
   function returns the module's own CK_RV. */

typedef CK_FUNCTION_LIST *keyturn_p11;

/* Keeps a module that was initialised; null ends all of them. */
static inline void keyturn_p11_keep(keyturn_p11 module);

static inline void keyturn_p11_end(void) { keyturn_p11_keep(0); }

/* They end when the process does, and before the libraries that they use themselves: SoftHSM's own clean-up comes after
   that of OpenSSL, and fails. */
static inline void keyturn_p11_keep(keyturn_p11 module) {
    static keyturn_p11 kept[8];
    static size_t count = 0;
    if (module) {
        if (count == 0) atexit(keyturn_p11_end);
        if (count < sizeof kept / sizeof *kept) kept[count++] = module;
        return;
    }
    while (count > 0) kept[--count]->C_Finalize(0);
}

/* Loads a module and initialises it for several threads. Returns null, with the loader's words in `problem` (which lives
   until the next call), or with the CK_RV in `code`. The module stays loaded. */
static inline keyturn_p11 keyturn_p11_load(const char *path, const char **problem, CK_RV *code) {
    *problem = 0;
    *code = CKR_OK;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        *problem = dlerror();
        return 0;
    }
    CK_C_GetFunctionList list = (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList");
    keyturn_p11 module = 0;
    if (!list) {
        *problem = "it has no C_GetFunctionList";
        return 0;
    }
    *code = list(&module);
    if (*code != CKR_OK || !module) return 0;
    CK_C_INITIALIZE_ARGS arguments;
    memset(&arguments, 0, sizeof arguments);
    arguments.flags = CKF_OS_LOCKING_OK;
    *code = module->C_Initialize(&arguments);
    if (*code == CKR_OK) keyturn_p11_keep(module);
    if (*code == CKR_CRYPTOKI_ALREADY_INITIALIZED) *code = CKR_OK;
    return *code == CKR_OK ? module : 0;
}

/* The slot with the token of this label; CKR_TOKEN_NOT_PRESENT if there is none. */
static inline CK_RV keyturn_p11_slot(keyturn_p11 module, const char *label, CK_SLOT_ID *slot) {
    CK_SLOT_ID slots[64];
    CK_ULONG count = sizeof slots / sizeof *slots;
    CK_RV code = module->C_GetSlotList(CK_TRUE, slots, &count);
    if (code != CKR_OK) return code;
    size_t length = strlen(label);
    for (CK_ULONG index = 0; index < count; index++) {
        CK_TOKEN_INFO token;
        if (module->C_GetTokenInfo(slots[index], &token) != CKR_OK) continue;
        /* Padded with blanks. */
        if (length > sizeof token.label || memcmp(token.label, label, length) != 0) continue;
        size_t rest = length;
        while (rest < sizeof token.label && token.label[rest] == ' ') rest++;
        if (rest < sizeof token.label) continue;
        *slot = slots[index];
        return CKR_OK;
    }
    return CKR_TOKEN_NOT_PRESENT;
}

/* A session that may make keys, with the user signed in. */
static inline CK_RV keyturn_p11_open(
    keyturn_p11 module, CK_SLOT_ID slot, const unsigned char *pin, CK_ULONG length, CK_SESSION_HANDLE *session) {
    CK_RV code = module->C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, 0, 0, session);
    if (code != CKR_OK) return code;
    code = module->C_Login(*session, CKU_USER, (unsigned char *)pin, length);
    if (code == CKR_USER_ALREADY_LOGGED_IN) code = CKR_OK;
    if (code != CKR_OK) module->C_CloseSession(*session);
    return code;
}

static inline void keyturn_p11_close(keyturn_p11 module, CK_SESSION_HANDLE session) {
    module->C_CloseSession(session);
}

/* Ends every session of this process with the token, and its sign-in. For a time when none is in use. */
static inline void keyturn_p11_close_all(keyturn_p11 module, CK_SLOT_ID slot) {
    module->C_CloseAllSessions(slot);
}

/* An object of this class and CKA_ID; CKR_OBJECT_HANDLE_INVALID if there is none. */
static inline CK_RV keyturn_p11_find(
    keyturn_p11 module, CK_SESSION_HANDLE session, CK_OBJECT_CLASS class_, const unsigned char *id, CK_ULONG length,
    CK_OBJECT_HANDLE *object) {
    CK_ATTRIBUTE wanted[] = {{CKA_CLASS, &class_, sizeof class_}, {CKA_ID, (void *)id, length}};
    CK_RV code = module->C_FindObjectsInit(session, wanted, 2);
    if (code != CKR_OK) return code;
    CK_ULONG count = 0;
    code = module->C_FindObjects(session, object, 1, &count);
    module->C_FindObjectsFinal(session);
    if (code != CKR_OK) return code;
    return count == 1 ? CKR_OK : CKR_OBJECT_HANDLE_INVALID;
}

/* Makes a key pair that stays in the token: sensitive, not extractable, for signatures alone. `bits`: of RSA; 0: P-256. */
static inline CK_RV keyturn_p11_generate(
    keyturn_p11 module, CK_SESSION_HANDLE session, CK_ULONG bits, const char *label, const unsigned char *id,
    CK_ULONG length) {
    static unsigned char p256[] = {0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07};
    static unsigned char exponent[] = {0x01, 0x00, 0x01};
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_MECHANISM mechanism = {bits ? CKM_RSA_PKCS_KEY_PAIR_GEN : CKM_EC_KEY_PAIR_GEN, 0, 0};
    CK_ATTRIBUTE public_[] = {
        {CKA_TOKEN, &yes, sizeof yes},
        {CKA_VERIFY, &yes, sizeof yes},
        {CKA_LABEL, (void *)label, strlen(label)},
        {CKA_ID, (void *)id, length},
        {bits ? CKA_MODULUS_BITS : CKA_EC_PARAMS, bits ? (void *)&bits : (void *)p256, bits ? sizeof bits : sizeof p256},
        {CKA_PUBLIC_EXPONENT, exponent, sizeof exponent},
    };
    CK_ATTRIBUTE private_[] = {
        {CKA_TOKEN, &yes, sizeof yes},
        {CKA_PRIVATE, &yes, sizeof yes},
        {CKA_SENSITIVE, &yes, sizeof yes},
        {CKA_EXTRACTABLE, &no, sizeof no},
        {CKA_SIGN, &yes, sizeof yes},
        {CKA_LABEL, (void *)label, strlen(label)},
        {CKA_ID, (void *)id, length},
    };
    CK_OBJECT_HANDLE made[2];
    return module->C_GenerateKeyPair(
        session, &mechanism, public_, bits ? 6 : 5, private_, sizeof private_ / sizeof *private_, &made[0], &made[1]);
}

/* One attribute of an object. `length` is the room, then what there is. */
static inline CK_RV keyturn_p11_attribute(
    keyturn_p11 module, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE_TYPE type,
    unsigned char *value, CK_ULONG *length) {
    CK_ATTRIBUTE attribute = {type, value, *length};
    CK_RV code = module->C_GetAttributeValue(session, object, &attribute, 1);
    *length = attribute.ulValueLen;
    return code;
}

/* Signs in one step. `length` is the room, then the signature's. */
static inline CK_RV keyturn_p11_sign(
    keyturn_p11 module, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key, CK_MECHANISM_TYPE type,
    const unsigned char *data, CK_ULONG size, unsigned char *signature, CK_ULONG *length) {
    CK_MECHANISM mechanism = {type, 0, 0};
    CK_RV code = module->C_SignInit(session, &mechanism, key);
    if (code != CKR_OK) return code;
    return module->C_Sign(session, (unsigned char *)data, size, signature, length);
}

static inline CK_RV keyturn_p11_destroy(keyturn_p11 module, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object) {
    return module->C_DestroyObject(session, object);
}

#endif
