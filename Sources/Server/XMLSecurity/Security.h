// What signatures and decryption share.
#ifndef KEYTURN_XML_SECURITY_PARTS_H
#define KEYTURN_XML_SECURITY_PARTS_H

#include "Document.h"
#include <xmlsec/xmlsec.h>
#include <xmlsec/crypto.h>
#include <xmlsec/xmltree.h>
#include <xmlsec/xmldsig.h>
#include <xmlsec/xmlenc.h>
#include <xmlsec/keysmngr.h>
#include <xmlsec/templates.h>
#include <xmlsec/errors.h>
#include <xmlsec/io.h>

#endif
