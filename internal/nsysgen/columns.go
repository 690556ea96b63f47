package nsysgen

import "strings"

// The columns of tables, as exports of schema 3.25.0 have them (PRAGMA table_info of
// public ones); "?" is nullable, ":T" text, ":R" real, ":K" the primary key, the rest integers. Tables
// that no public export holds are as the documentation of Nsight Systems has them.
const common = "start end deviceId contextId greenContextId? streamId correlationId? globalPid?"

var newColumns = map[string]string{
	"ANALYSIS_DETAILS":                    "globalVid duration startTime stopTime",
	"CUPTI_ACTIVITY_KIND_KERNEL":          common + " demangledName shortName mangledName? launchType? cacheConfig? registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted? graphNodeId? sharedMemoryLimitConfig? qmdBulkReleaseDone? qmdPreexitDone? qmdLastCtaDone? graphId? clusterX? clusterY? clusterZ? clusterSchedulingPolicy? maxPotentialClusterSize? maxActiveClusters? sharedMemoryRequestedPercentage? tensorSizeMinusOneElements:T",
	"CUPTI_ACTIVITY_KIND_MEMCPY":          common + " bytes copyKind deprecatedSrcId? srcKind? dstKind? srcDeviceId? srcContextId? dstDeviceId? dstContextId? migrationCause? graphNodeId? virtualAddress? copyCount?",
	"CUPTI_ACTIVITY_KIND_MEMSET":          common + " value bytes graphNodeId? memKind?",
	"CUPTI_ACTIVITY_KIND_GRAPH_TRACE":     common + " graphId graphExecId",
	"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": common + " deprecatedSyncType? syncType eventId eventSyncId?",
	"CUPTI_ACTIVITY_KIND_OVERHEAD":        "start end eventClass globalTid? correlationId? nameId? overheadType",
	"CUPTI_ACTIVITY_KIND_RUNTIME":         "start end eventClass globalTid? correlationId? nameId returnValue callchainId?",
	"CUDA_GPU_MEMORY_USAGE_EVENTS":        "start globalPid deviceId contextId virtualAddress bytes memKind memoryOperationType name? correlationId? streamId?",
	"DIAGNOSTIC_EVENT":                    "timestamp timestampType source severity text:T globalPid?",
	"META_DATA_CAPTURE":                   "name:T value:T?",
	"META_DATA_EXPORT":                    "name:T value:T?",
	"NVTX_EVENTS":                         "start end? eventType rangeId? category? color? text:T? globalTid? endGlobalTid? textId? domainId? uint64Value? int64Value? doubleValue:R? uint32Value? int32Value? floatValue:R? jsonTextId? jsonText:T? binaryData:T?",
	"OSRT_API":                            "start end eventClass globalTid? correlationId? nameId returnValue nestingLevel? callchainId",
	"PROCESSES":                           "globalPid? pid? name:T?",
	"PROFILER_OVERHEAD":                   "start end globalTid? nameId overheadType",
	"StringIds":                           "id:K value:T",
	"TARGET_INFO_CUDA_DEVICE":             "gpuId? cudaId pid uuid:T? numMultiprocessors?",
	"TARGET_INFO_GPU":                     "vmId id name:T? busLocation:T? totalMemory? smCount?",
	"TARGET_INFO_SESSION_START_TIME":      "utcEpochNs? utcTime:T? localTime:T? systemClockNs?",
	"TARGET_INFO_SYSTEM_ENV":              "globalVid? devStateName:T name:T nameEnum value:T",
	"ThreadNames":                         "nameId priority? globalTid?",
}

// oldColumns are those of schema 3.17.2 where they differ, and of kernels those of the
// exports of 2021: fewer, and 0 where newer ones say NULL.
var oldColumns = map[string]string{
	"CUPTI_ACTIVITY_KIND_KERNEL":     "start end deviceId contextId streamId correlationId globalPid demangledName shortName launchType cacheConfig registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted graphNodeId?",
	"CUPTI_ACTIVITY_KIND_MEMCPY":     "start end deviceId contextId streamId correlationId globalPid bytes copyKind srcKind dstKind graphNodeId?",
	"CUPTI_ACTIVITY_KIND_MEMSET":     "start end deviceId contextId streamId correlationId globalPid value bytes graphNodeId?",
	"NVTX_EVENTS":                    "start end? eventType rangeId? category? color? text:T? globalTid? endGlobalTid? textId? domainId? uint64Value? int64Value? doubleValue:R? uint32Value? int32Value? floatValue:R?",
	"PROFILER_OVERHEAD":              "start end globalTid? nameId returnValue",
	"TARGET_INFO_CUDA_DEVICE":        "gpuId? cudaId pid",
	"TARGET_INFO_SESSION_START_TIME": "utcEpochNs? utcTime:T? localTime:T?",
}

// column is a column of a table to be made.
type column struct {
	name, kind string // kind is T, R, K or "" for an integer
	null       bool
}

// columnsOf lists the columns of a table in a schema.
func columnsOf(schema Schema, table string) (out []column) {
	list := newColumns[table]
	if old := oldColumns[table]; schema == Old && old != "" {
		list = old
	}
	for _, f := range strings.Fields(list) {
		c := column{}
		f, c.null = strings.CutSuffix(f, "?")
		c.name, c.kind, _ = strings.Cut(f, ":")
		out = append(out, c)
	}
	return out
}

// create writes the CREATE TABLE.
func create(table string, cols []column) string {
	var defs []string
	for _, c := range cols {
		def := `"` + c.name + `" ` + map[string]string{"": "INTEGER", "T": "TEXT", "R": "REAL", "K": "INTEGER PRIMARY KEY"}[c.kind]
		if !c.null && c.kind != "K" {
			def += " NOT NULL"
		}
		defs = append(defs, def)
	}
	return `CREATE TABLE "` + table + `"(` + strings.Join(defs, ", ") + ")"
}
