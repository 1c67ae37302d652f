extension RouteList {
    /// What other machines call: directories that provision users, and receivers of shared signals.
    static let machines = """
        GET /.well-known/ssf-configuration: open
        POST /ssf/stream: receiver of signals
        GET /ssf/stream: receiver of signals
        PATCH /ssf/stream: receiver of signals
        PUT /ssf/stream: receiver of signals
        DELETE /ssf/stream: receiver of signals
        GET /ssf/status: receiver of signals
        POST /ssf/status: receiver of signals
        POST /ssf/verify: receiver of signals
        POST /ssf/poll/{name}: receiver of signals
        GET /scim/v2/ServiceProviderConfig: open
        GET /scim/v2/ResourceTypes: open
        GET /scim/v2/ResourceTypes/{name}: open
        GET /scim/v2/Schemas: open
        GET /scim/v2/Schemas/{name}: open
        GET /scim/v2/Users: provisioning token
        POST /scim/v2/Users: provisioning token
        POST /scim/v2/Users/.search: provisioning token
        GET /scim/v2/Users/{name}: provisioning token
        PUT /scim/v2/Users/{name}: provisioning token
        PATCH /scim/v2/Users/{name}: provisioning token
        DELETE /scim/v2/Users/{name}: provisioning token
        GET /scim/v2/Groups: provisioning token
        POST /scim/v2/Groups: provisioning token
        POST /scim/v2/Groups/.search: provisioning token
        GET /scim/v2/Groups/{name}: provisioning token
        PUT /scim/v2/Groups/{name}: provisioning token
        PATCH /scim/v2/Groups/{name}: provisioning token
        DELETE /scim/v2/Groups/{name}: provisioning token
        POST /scim/v2/.search: provisioning token
        POST /scim/v2/Bulk: provisioning token
        GET /scim/v2/Me: provisioning token
        """
}
