"""Devices, platforms, contexts, queues and events."""

DOCSTRINGS = {
    "default_queue": """Find the queue of new arrays for which no queue and no device is named.

In a ``with`` block of ``using_queue``, it is that block's queue, for this thread or asynchronous task. Otherwise it is
the queue that ``set_default_queue`` has set, and without one the queue of the default device. Once dpctl is loaded,
default arrays of dpctl and dpnp are on the queue of the default device, too.

Returns:
    A SyclQueue; an object of dpctl's class once dpctl is loaded.

Raises:
    SyclDeviceCreationError: there is no device.

Example:
    >>> usmx.zeros(3).sycl_queue == usmx.default_queue()
    True""",
    "set_default_queue": """Set the queue of new arrays for which no queue and no device is named, for all threads.

Arrays that exist stay where they are.

Args:
    queue: a SyclQueue of usmx or dpctl; None for the queue of the default device.

Returns:
    What was set before, or None.

Raises:
    TypeError: `queue` is no queue.

Example:
    >>> before = usmx.set_default_queue(usmx.SyclQueue(property='in_order'))
    >>> usmx.zeros(3).sycl_queue.is_in_order
    True
    >>> in_order = usmx.set_default_queue(before)""",
    "default_usm_type": """Return the kind of memory of new arrays that name none.

It is what the innermost block of ``using_usm_type`` has chosen; without one what ``set_default_usm_type`` has set,
or the environment by ``USMX_DEFAULT_USM_TYPE``, or 'device'. It does not count where the kind is known from elsewhere:
from other arrays of which the new one is made, or from the ``a.device`` of an array that is passed as ``device``.

Returns:
    'device', 'shared' or 'host'.

Example:
    >>> usmx.default_usm_type()
    'device'""",
    "set_default_usm_type": """Set the kind of memory of new arrays that name none, for all threads.

Arrays that exist keep theirs.

Args:
    usm_type: 'device', 'shared' or 'host'; None for what the environment says, or 'device'.

Returns:
    What was set before, or None.

Raises:
    TypeError: `usm_type` is no text.
    ValueError: there is no such kind.

Example:
    >>> before = usmx.set_default_usm_type('shared')
    >>> usmx.zeros(3).usm_type
    'shared'
    >>> shared = usmx.set_default_usm_type(before)""",
    "Device.create_device": """Make the Device that an argument ``device`` of this package's functions stands for.

Args:
    device: None for the default device, a filter string, a SyclDevice, a SyclQueue or a Device.

Raises:
    TypeError: `device` is none of these.
    ValueError: the text is no filter selector.
    SyclDeviceCreationError: no device matches.

Example:
    >>> usmx.Device.create_device() == usmx.zeros(1).device
    True""",
    "SyclContext.__init__": """Find a context, or take one from elsewhere.

Args:
    arg: a filter string or a SyclDevice, for the default context of its platform; None for that of the default
        device; a sub-device, or several devices in a tuple or list, for a new context of these alone; a SyclContext,
        for the same context; or a capsule 'SyclContextRef', of which a copy is taken. The capsule is renamed and
        cannot be used twice.

Raises:
    SyclContextCreationError: no device matches, or the devices cannot be in one context.
    TypeError: `arg` is none of these.

Example:
    >>> usmx.SyclContext().device_count >= 1
    True""",
    "SyclPlatform.__init__": """Find a platform.

Args:
    arg: None for that of the default device, a filter string for that of the device which it selects, or a
        SyclPlatform for the same one.

Raises:
    SyclDeviceCreationError: no device matches, or the text is no filter selector. It is a ValueError, too.
    TypeError: `arg` is none of these.

Example:
    >>> usmx.SyclPlatform() == usmx.SyclDevice().sycl_platform
    True""",
    "get_platforms": """List the platforms of this machine that have devices.

Returns:
    A list of SyclPlatforms, in the order of ``get_devices()``.

Example:
    >>> usmx.SyclDevice().sycl_platform in usmx.get_platforms()
    True""",
    "SyclDevice.__init__": """Find a device.

Args:
    arg: None for the default device, a SyclDevice for the same device, or a filter selector
        ``backend:device_type:relative_id``. Any part of it may be left out, and a comma means "else". The
        grammar is dpctl's.

Raises:
    SyclDeviceCreationError: no device matches, or the text is no filter selector. It is a ValueError, too.
    TypeError: `arg` is none of these.

Example:
    >>> usmx.SyclDevice() == usmx.SyclDevice(None)
    True""",
    "SyclDevice.create_sub_devices": """Divide the device into sub-devices.

Args:
    partition: a number of compute units, for as many sub-devices of that size as possible; several numbers, for one
        sub-device of each size; or the name of an affinity domain: 'numa', 'L4_cache', 'L3_cache', 'L2_cache',
        'L1_cache' or 'next_partitionable'.

Returns:
    A list of sub-devices.

Raises:
    SyclSubDeviceCreationError: the device cannot be divided in this way.
    ValueError: the text is no affinity domain, or there are no numbers.
    TypeError: `partition` is none of these.

Example:
    >>> device = usmx.SyclDevice()
    >>> try:
    ...     parts = device.create_sub_devices(partition=1)
    ... except usmx.SyclSubDeviceCreationError:
    ...     parts = []
    >>> all(part.parent_device == device for part in parts)
    True""",
    "SyclDevice.can_access_peer": """Say whether kernels of this device can use memory of kind 'device' of another device.

Args:
    peer: the other device. The answer is False for a device of another back end, and for the device itself.
    value: 'access_supported', or 'atomics_supported' for atomic operations on that memory.

Raises:
    TypeError: `peer` is no SyclDevice.
    ValueError: `value` is another text.""",
    "SyclDevice.enable_peer_access": """Let kernels of this device use memory of kind 'device' of another device.

Args:
    peer: the other device.

Raises:
    TypeError: `peer` is no SyclDevice.
    ValueError: the devices are of different back ends or of one without such access, or they are the same.
    RuntimeError: the runtime refuses.""",
    "SyclDevice.disable_peer_access": """Withdraw the access that enable_peer_access has given.

Args:
    peer: the other device.

Raises:
    TypeError: `peer` is no SyclDevice.
    ValueError: the devices are of different back ends or of one without such access, or they are the same.
    RuntimeError: the runtime refuses, also if access is not enabled.""",
    "SyclEvent.__init__": """Make an event that is complete, or take one from elsewhere.

Args:
    arg: None for an event that is complete; a SyclEvent of usmx or dpctl, for the same event; or a capsule
        'SyclEventRef', of which a copy is taken. The capsule is renamed and cannot be used twice.

Example:
    >>> usmx.SyclEvent().execution_status
    <event_status_type.complete: 4>""",
    "SyclEvent.wait_for": """Wait for an event, or for all events of a list or tuple.

Args:
    event: events of usmx or dpctl.

Raises:
    TypeError: `event` is or contains something else.

Example:
    >>> usmx.SyclEvent.wait_for([usmx.SyclEvent()])""",
    "SyclQueue.__init__": """Make a queue, or take one from elsewhere.

Args:
    arg: a filter string or a SyclDevice, for a new queue in the default context of the device's platform; None
        for one on the default device; a SyclQueue, for the same queue; or a capsule 'SyclQueueRef', of which a
        copy is taken. The capsule is renamed and cannot be used twice.
    context, device: the context and the device of a new queue.
    property: 'in_order', 'enable_profiling', or several in a tuple or list. A queue is out of order unless
        told otherwise.

Raises:
    SyclQueueCreationError: no device matches, the text is no filter selector, or the device is not in the context.
        It is a SyclDeviceCreationError and a ValueError, too.
    ValueError: there is no such property.
    TypeError: an argument has a wrong type.

Example:
    >>> usmx.SyclQueue(property='in_order').is_in_order
    True""",
    "synchronize": """Wait until everything submitted to the queues that usmx keeps has finished.

This includes dpctl's queues for the same devices, once dpctl is loaded. Then usmx frees the released memory that had
to wait for this work.

Example:
    >>> usmx.synchronize()""",
}
