// The libraries are found through this target; their headers are read by XMLSecurity alone, with the definitions that
// their binary interface demands.
